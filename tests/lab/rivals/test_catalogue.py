"""Names lead to classes, and nothing heavy is imported on the way."""

import subprocess
import sys

import pytest
from sklearn.base import clone

import nask
from nask.evaluation.methods import classifies, described, learns, method_name, named_method
from nask.exceptions import MissingDependencyError, ParameterError
from nask.lab.rivals.catalogue import GRAPH_RIVALS, NODE_RIVALS, REGRESSION_RIVALS, RIVALS, rival

PAPER = {"wl", "pk", "gh", "ml", "hgk-wl", "wwl", "swwl", "retgk", "rwk"}
PAPER |= {"gcn", "gin", "graphsage", "gat", "kergnn", "kagnn", "akgnn", "kernelgcn"}


def test_the_rivals_of_the_paper_and_the_floors_are_there():
    assert {"majority", "mean", "attributes-only", *PAPER} == set(RIVALS)


@pytest.mark.parametrize("name", GRAPH_RIVALS)
def test_a_name_of_a_method_for_graphs_leads_to_its_class_and_back(name):
    model = named_method(name)
    assert classifies(model) == "graphs"
    assert method_name(model) == name


@pytest.mark.parametrize("name", NODE_RIVALS)
def test_a_name_of_a_method_for_nodes_leads_to_its_class_and_back(name):
    model = named_method(name, "nodes")
    assert classifies(model) == "nodes"
    assert method_name(model) == name


@pytest.mark.parametrize("name", ["nask", *REGRESSION_RIVALS])
def test_a_name_of_a_method_for_numbers_leads_to_its_class_and_back(name):
    model = named_method(name, task="regress")
    assert (learns(model), classifies(model), method_name(model)) == ("regress", "graphs", name)
    assert method_name(clone(model)) == name


@pytest.mark.parametrize(
    ("name", "items"), [("nask", "graphs"), ("nask", "nodes"), ("wl", "graphs")]
)
def test_a_kernel_by_its_name_or_with_an_svm(name, items):
    plain, svm = named_method(name, items), named_method(f"{name}-svm", items)
    assert (plain.learner, svm.learner) == ("ridge", "svm")
    assert type(plain) is type(svm)
    assert (method_name(plain), method_name(svm)) == (name, f"{name}-svm")
    assert described(plain) != described(svm)


def test_what_has_no_choice_of_a_learner():
    for name, items in (("gcn", "graphs"), ("gcn", "nodes"), ("majority", "graphs")):
        with pytest.raises(ParameterError, match=f"use '{name}', not '{name}-svm'"):
            named_method(f"{name}-svm", items)
    with pytest.raises(ParameterError, match="no method 'retkg'"):
        named_method("retkg-svm")
    # One learner of one kernel is not chosen: its name is that of its class.
    assert method_name(nask.NASKClassifier(learner="svm")) == "NASKClassifier"
    assert method_name(nask.NASKNodeClassifier(learner="ridge")) == "NASKNodeClassifier"


def test_a_method_for_graphs_is_none_for_nodes():
    with pytest.raises(ParameterError, match=r"'wl' does not classify nodes.*kernelgcn"):
        named_method("wl", "nodes")
    with pytest.raises(ParameterError, match=r"no method 'retkg'\. Did you mean 'retgk'"):
        named_method("retkg")


def test_a_package_that_is_not_installed_is_named_with_the_extra(monkeypatch):
    monkeypatch.setitem(GRAPH_RIVALS, "needy", "no_such_module:Classifier")
    with pytest.raises(MissingDependencyError, match=r"needy .*'no_such_module'.*nask\[lab\]"):
        rival("needy")


@pytest.mark.slow
def test_the_library_imports_without_the_packages_of_its_rivals():
    code = (
        "import sys, nask, nask.cli.main, nask.lab.rivals.catalogue;"
        "print([m for m in ('torch', 'torch_geometric', 'grakel', 'ot') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_another_grid_or_default_of_a_network_is_another_description(monkeypatch):
    before = described(named_method("gin"))
    assert described(named_method("gin")) == before
    kind = type(named_method("gin"))
    monkeypatch.setattr(kind, "default_grid", {"learning_rate": (0.001,)})
    fewer = described(named_method("gin"))
    assert fewer != before
    assert described(named_method("gin").set_params(hidden=32)) != fewer
