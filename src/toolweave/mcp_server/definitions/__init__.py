"""The default tools as data, one file for each subject; `menu.py` joins them."""
