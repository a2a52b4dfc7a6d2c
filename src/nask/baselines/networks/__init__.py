"""Graph neural networks as estimators; they need the packages torch and torch-geometric."""
