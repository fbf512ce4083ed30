"""The way back to LoRaWAN devices: commands that ChirpStack is handed for its own queue."""
