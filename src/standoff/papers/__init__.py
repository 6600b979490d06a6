"""Each paper's experiments, printed beside the paper's own figures."""
