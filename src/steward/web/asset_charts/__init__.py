"""What an asset has reported, drawn together with the rules that watch it and the alerts that they raised."""
