"""Players that look ahead before each choice: they try moves out, search, or judge states by what was learned."""
