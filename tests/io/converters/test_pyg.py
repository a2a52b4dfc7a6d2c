import sys

import numpy as np
import pytest
import torch
from torch_geometric.data import Batch, Data, HeteroData

from nask.exceptions import GraphError, InputError, MissingDependencyError
from nask.io.converters.pyg import from_pyg

PATH = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])


def values(attributes):
    return {name: attribute.values() for name, attribute in attributes.items()}


def test_every_node_and_edge_tensor_becomes_attributes():
    data = Data(
        x=torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, float("nan")]]),
        pos=torch.tensor([[0.5], [1.5], [2.5]]),
        z=torch.tensor([6, 8, 6]),
        flag=torch.tensor([True, False, True]),
        edge_index=PATH,
        edge_attr=torch.tensor([[1, 2], [1, 2], [3, 4], [3, 4]]),
        edge_weight=torch.tensor([0.5, 0.5, 1.5, 1.5]),
    )
    graph = from_pyg(data)
    assert values(graph.node_attributes) == {
        "x_0": [1.0, 3.0, 5.0],
        "x_1": [2.0, 4.0, None],
        "pos": [0.5, 1.5, 2.5],
        "z": [6.0, 8.0, 6.0],
        "flag": [True, False, True],
    }
    assert graph.node_attributes["flag"].kind == "categorical"
    assert graph.node_attributes["z"].kind == "numerical"
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert values(graph.edge_attributes) == {
        "edge_attr_0": [1.0, 3.0],
        "edge_attr_1": [2.0, 4.0],
        "edge_weight": [0.5, 1.5],
    }


def test_what_is_not_an_attribute():
    data = Data(
        num_nodes=3,
        edge_index=PATH,
        y=torch.tensor([0, 1, 2]),
        train_mask=torch.tensor([True, True, False]),
        batch=torch.zeros(3, dtype=torch.long),
        ptr=torch.tensor([0, 3, 3]),
        node_index=torch.tensor([0, 1, 2]),
        u=torch.tensor([[1.0, 2.0]]),
        energy=torch.tensor(3.0),
        name="water",
    )
    graph = from_pyg(data)
    assert (dict(graph.node_attributes), dict(graph.edge_attributes)) == ({}, {})
    assert graph.n_nodes == 3


def test_as_many_edges_as_nodes():
    data = Data(
        x=torch.ones(2, 1),
        edge_index=torch.tensor([[0, 1], [1, 0]]),
        edge_length=torch.tensor([2.0, 2.0]),
        size=torch.tensor([3.0, 4.0]),
    )
    graph = from_pyg(data)
    assert list(graph.node_attributes) == ["x", "size"]
    assert list(graph.edge_attributes) == ["edge_length"]


def test_mirror_images_are_not_duplicates():
    repeated = torch.cat([PATH, PATH[:, :1], torch.tensor([[2, 2], [2, 2]])], dim=1)
    assert from_pyg(Data(num_nodes=3, edge_index=PATH)).n_duplicate_edges_removed == 0
    graph = from_pyg(Data(num_nodes=3, edge_index=repeated))
    assert (graph.n_duplicate_edges_removed, graph.n_self_loops_removed) == (1, 2)


def test_directed_graphs_need_a_word():
    data = Data(num_nodes=3, edge_index=torch.tensor([[0, 1, 2], [1, 0, 1]]))
    with pytest.raises(GraphError, match=r"the edge 2 -> 1, but not 1 -> 2.*to_undirected=True"):
        from_pyg(data)
    graph = from_pyg(data, to_undirected=True)
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert graph.n_duplicate_edges_removed == 0


def test_directions_must_agree():
    data = Data(num_nodes=3, edge_index=PATH, edge_attr=torch.tensor([[1.0], [1.0], [1.0], [2.0]]))
    with pytest.raises(
        GraphError,
        match=r"conflicting .* 1.0 at edge \(1, 2\) and 2.0 at edge \(2, 1\)",
    ):
        from_pyg(data)


def test_forcing_x_forces_all_its_columns():
    data = Data(x=torch.tensor([[1, 0], [0, 1]]), z=torch.tensor([1, 2]))
    kinds = {k: a.kind for k, a in from_pyg(data, categorical=["x"]).node_attributes.items()}
    assert kinds == {"x_0": "categorical", "x_1": "categorical", "z": "numerical"}
    assert from_pyg(data, categorical=["x_0", "x"]).node_attributes["x_1"].kind == "categorical"
    with pytest.raises(GraphError, match="names no attribute"):
        from_pyg(data, numerical=["q"])


def test_number_of_nodes_is_never_guessed():
    with pytest.raises(GraphError, match=r"Set data\.num_nodes"):
        from_pyg(Data(edge_index=PATH))
    with pytest.raises(GraphError, match=r"Set data\.num_nodes"):
        from_pyg(Data())


def test_without_edges():
    assert from_pyg(Data(x=torch.ones(2, 3))).n_edges == 0
    with pytest.raises(GraphError, match="as adj or adj_t"):
        from_pyg(Data(num_nodes=2, adj_t=torch.eye(2)))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (Data(num_nodes=2, x=torch.ones(3, 1)), "'x' has 3 values, but the graph has 2 nodes"),
        (
            Data(num_nodes=3, edge_index=PATH, edge_attr=torch.ones(2, 1)),
            "'edge_attr' has 2 values, but the graph has 4 edges",
        ),
        (Data(x=torch.ones(2, 2, 2)), r"'x' has shape \(2, 2, 2\)"),
        (Data(num_nodes=2, edge_index=torch.ones(3, 2).long()), r"shape \(2, n_edges\)"),
        (
            Data(x=torch.ones(2, 2), x_1=torch.ones(2)),
            "Two attributes come out with the name 'x_1'",
        ),
    ],
)
def test_bad_tensors(data, message):
    with pytest.raises(GraphError, match=message):
        from_pyg(data)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.int8, torch.uint8])
def test_number_types(dtype):
    weight = torch.nn.Parameter(torch.ones(2)) if dtype is torch.bfloat16 else torch.ones(2)
    assert values(from_pyg(Data(x=weight.to(dtype))).node_attributes) == {"x": [1.0, 1.0]}


def test_sparse_and_numpy_features():
    data = Data(x=torch.eye(2).to_sparse(), pos=np.array([1.0, 2.0]))
    assert values(from_pyg(data).node_attributes) == {
        "x_0": [1.0, 0.0],
        "x_1": [0.0, 1.0],
        "pos": [1.0, 2.0],
    }


def test_the_data_are_not_changed():
    x = torch.tensor([[1.0], [2.0], [3.0]])
    data = Data(x=x, edge_index=PATH.clone())
    graph = from_pyg(data)
    x += 1
    assert graph.node_attributes["x"].values() == [1.0, 2.0, 3.0]
    assert torch.equal(data.edge_index, PATH)
    assert set(data.keys()) == {"edge_index", "x"}


def test_other_objects():
    with pytest.raises(InputError, match=r"to_data_list"):
        from_pyg(Batch.from_data_list([Data(num_nodes=1)]))
    with pytest.raises(InputError, match="got HeteroData"):
        from_pyg(HeteroData())


@pytest.mark.parametrize("package", ["torch_geometric", "torch_geometric.data"])
def test_missing_package_names_the_extra(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    if package == "torch_geometric":
        monkeypatch.delitem(sys.modules, "torch_geometric.data")
    with pytest.raises(
        MissingDependencyError, match=r"'torch_geometric'.*pip install 'nask\[pyg\]'"
    ):
        from_pyg(Data(num_nodes=1))


@pytest.mark.parametrize(
    "data",
    [
        Data(num_nodes=0),
        Data(x=torch.empty(0, 2)),
        Data(x=torch.empty(0), edge_index=torch.empty((2, 0), dtype=torch.long)),
        Data(z=torch.empty(0, dtype=torch.long), num_nodes=0, edge_attr=torch.empty(0)),
        Data(x=torch.empty(0, 0)),
    ],
    ids=str,
)
def test_a_graph_without_nodes(data):
    graph = from_pyg(data)
    assert (graph.n_nodes, graph.n_edges) == (0, 0)
    assert all(len(attribute) == 0 for attribute in graph.node_attributes.values())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (Data(num_nodes=-1), "num_nodes must be an integer of 0 to .* Got -1"),
        (Data(num_nodes=2**70), "num_nodes must be an integer of 0 to .* Got 118059"),
        (Data(num_nodes=2.5), "num_nodes must be an integer .* Got 2.5"),
        (Data(num_nodes=2, edge_index="0-1"), "edge_index must be a tensor .* type str"),
    ],
)
def test_numbers_of_nodes_and_edges_that_are_none(data, message):
    with pytest.raises(GraphError, match=message):
        from_pyg(data)
