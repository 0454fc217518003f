"""The pages of the lab, by question: each calls what the command of the same name calls, in a worker process."""
