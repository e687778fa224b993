/** What changed in the API, newest first. The first entry's version is the document's. */
export const API_CHANGELOG = [
  {
    version: "1.1.1",
    date: "2026-11-22",
    changes: [
      "Only POST places an order or runs an action at /api/v2. Every other method gets 405 with an Allow header, on the other routes too.",
    ],
  },
  {
    version: "1.1.0",
    date: "2026-11-21",
    changes: [
      "The document lists every action, error code and answer with an example, and this page is drawn from it.",
      "Test keys can be made on this page. They expire after a day.",
    ],
  },
  {
    version: "1.0.0",
    date: "2026-11-20",
    changes: [
      "The panel convention at /api/v2, one route for each read, and /api/v1/create_order with problem details.",
      "Idempotency keys, test keys, refills, cancellations, rate limit headers.",
    ],
  },
] as const;
