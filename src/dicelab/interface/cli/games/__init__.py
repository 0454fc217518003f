"""Commands about the games themselves: to write, check, show, play and learn one."""
