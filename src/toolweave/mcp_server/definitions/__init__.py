"""The default tools as data, one file per subject; `tool_list.py` joins them."""
