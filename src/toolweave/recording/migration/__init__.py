"""What a changed tool breaks, and the patch that adapts workflows to it."""
