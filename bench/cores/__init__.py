"""What more API processes on one port are good for."""
