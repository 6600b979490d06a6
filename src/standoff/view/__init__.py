"""What people see: reports on the terminal."""
