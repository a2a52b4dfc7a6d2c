"""``nask describe`` as text, as JSON and as a picture."""

import json


def test_the_command(invoke, tmp_path):
    (tmp_path / "nodes.csv").write_text("node,born,y\na,2020-01-01,x\nb,2021-06-30,x\n")
    (tmp_path / "edges.csv").write_text("source,target\na,b\n")
    content = json.loads(invoke("describe", tmp_path, "--json").stdout)
    [born] = content["columns"]
    assert (born["kind"], born["why"], born["minimum"]) == ("numerical", "dates", "2020-01-01")
    picture = tmp_path / "p.png"
    told = invoke("describe", tmp_path, "--plot", picture).stdout
    assert "2020-01-01 to 2021-06-30" in " ".join(told.split())
    assert "all nodes with a class have the same" in " ".join(told.split())
    assert picture.read_bytes()[:4] == b"\x89PNG"
