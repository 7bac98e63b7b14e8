// Draws /openapi.json. No validator badge: it would ask a server on the internet.
SwaggerUIBundle({ url: "/openapi.json", dom_id: "#interface", deepLinking: true, validatorUrl: null });
