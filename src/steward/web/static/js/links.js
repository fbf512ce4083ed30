// Completes addresses from a service that doesn't know its own host name: the browser does.
for (const field of document.querySelectorAll("[data-absolute]")) field.value = new URL(field.value, location.href).href;
