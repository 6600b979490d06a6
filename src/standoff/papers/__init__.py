"""Each paper's experiments, printed beside the paper's own figures."""

#: The papers whose experiments can be run.
PAPERS = ("000", "001", "002", "004")
