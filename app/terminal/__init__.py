"""The terminal around the screen: title and notices, clipboard, pictures, themes, the way out."""
