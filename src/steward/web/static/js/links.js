// Addresses that were made by a service which doesn't know its own name: the browser does.
for (const field of document.querySelectorAll("[data-absolute]")) field.value = new URL(field.value, location.href).href;
