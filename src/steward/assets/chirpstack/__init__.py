"""Where an organization's ChirpStack server is, which takes commands to its LoRaWAN devices."""
