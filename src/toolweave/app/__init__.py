"""Opens and joins the rooms. Only this room knows every other."""
