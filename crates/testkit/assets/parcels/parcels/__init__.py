"""Says where a parcel is."""
