"""An organization's ChirpStack server, which sends commands to its LoRaWAN devices."""
