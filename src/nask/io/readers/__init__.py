"""Files as datasets: TUDataset text, CSV tables, citation networks."""
