"""The commands of ``standoff``, one a file: what one types. What they do is in other rooms."""
