"""Pictures on the screen: half blocks, and what terminals can that is sharper."""
