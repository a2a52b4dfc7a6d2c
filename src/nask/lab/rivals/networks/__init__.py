"""Graph neural networks as estimators; they need the packages torch and torch-geometric."""

from nask.optional import require

for _package in ("torch", "torch_geometric"):
    require(_package, "lab")
