/** Changes of the API, newest first. The first entry is the version of the OpenAPI document. */
export const API_CHANGELOG = [
  {
    version: "1.9.0",
    date: "2026-11-29",
    changes: [
      "The status of a subscription has expiry, posts and orders, and a status in the panel convention's words: Active, Completed, Expired or Canceled. It keeps all other fields. Before, the status was that of any other order. Statuses at /api/v1 and in webhooks are as they were.",
      "The IDs in orders name the order of each post. Ask for their status like any other; their charges add up to the subscription's. They can't be refilled or canceled on their own.",
      "While a subscription runs, remains goes down with each post that gets an order.",
      "At /api/v2, orders and multi_status are other names of status for several orders.",
      "Lists of IDs may repeat the name (orders=1&orders=2), in a URL use orders[], or be JSON as text. Before, a repeated name meant its last ID alone.",
      "Invisible characters at the ends of a link or a name are dropped. Inside, they are refused: bad_link, whose title says so, or invalid_field. Before, most of them were passed on.",
      "A form may be in another charset than UTF-8 if it names it: in the Content-Type, as in charset=ISO-8859-1, in a part of multipart/form-data, or in a field _charset_. Bytes that are not UTF-8 and not named are refused, in a URL too, and nothing is charged. Before, they were stored as U+FFFD.",
      "The OpenAPI document describes what was accepted before, too: orders and multi_status at /api/v2, a single order of cancel, forms as multipart/form-data, and the Idempotency-Key header at /api/v2 and /api/order.",
      "A doubled slash between the site and the path (//api/v2) is read as one.",
      "Some services refuse a comma in comments or usernames with invalid_field, because it would split a comment in two. The error's text quotes the comment.",
    ],
  },
  {
    version: "1.8.0",
    date: "2026-11-28",
    changes: [
      "When our database does not respond, every route, including /api/v2, returns 503 with Retry-After and the new error unavailable, usually after 12 seconds and rarely after up to 30. Previously, such requests hung or returned 500.",
      "After such a 503, or if you hung up before the response, send the same request again. This does not place a second order, even without Idempotency-Key or request_id: the next request with the same content within an hour counts as the repetition. To order the same again on purpose, send a key. Send one anyway: we do not always notice that a client has hung up.",
      "Responses that replay an order have the header Idempotent-Replayed at /api/v2 and /api/order too.",
      "Canceling an order again returns 1, also after the first request canceled it. Before, that got not_cancelable. A cancellation that was rejected is refused as before.",
      "A refill that is requested again within ten minutes returns the open refill's ID. Before, it got refill_open.",
      "A request with more than 500 names of fields, 100,000 fields of a form (2,000 as multipart/form-data), or 500 objects, lists and members in JSON gets 413. Items of a JSON list are not counted.",
      "Another spelling of a path, such as POST /API/balance, returns 404. Previously, it was treated as /api/order, or as /api/status on GET.",
    ],
  },
  {
    version: "1.7.0",
    date: "2026-11-24",
    changes: [
      "Rates, quotes and charges are those of your account's tier, if it has one. Lists of services and their ETag are too.",
      "Orders have price_rule and discount where a tier or a code lowered the charge: when created at /api/v1, in its list, and in the status at /api/status and /api/order. /api/v2 is as it was.",
      "GET /api/services?since=VERSION gets 410 if your tier changed after that version. Fetch the whole list then.",
      "The rates in the webhook event service.changed are those of your tier.",
    ],
  },
  {
    version: "1.6.0",
    date: "2026-11-23",
    changes: [
      "The OpenAPI document has the webhooks: each event's body and the headers of the signature.",
      "Programs in Node.js, Python, PHP and Go that verify a webhook, and a curl call that sends one.",
      "Creating a test key on this page ends the one that you created here before.",
      "Services have refill_days, delivery_p50, delivery_p90, delivery_samples, partial_rate and cancel_rate.",
      "Order statuses have expected_by and refill_until. A refill after refill_until gets the new error refill_expired (422).",
      "max_charge on an order: if it costs more, nothing is placed or charged. New error charge_above_max (422).",
      "reference and metadata on an order, returned with it. GET /api/v1/orders lists your orders and finds them by reference.",
      "GET /api/services?since=VERSION returns what changed in the catalog. Each list has its Catalog-Version.",
      "New webhook event service.changed, when services are added, change their price or terms, or go off sale.",
      "Each webhook gets orders and balance, catalog changes or both, as you choose. Without a choice: orders and balance.",
    ],
  },
  {
    version: "1.5.0",
    date: "2026-11-22",
    changes: [
      "A key can have an expiry date, a list of IP addresses and ranges that may use it, and a daily spending cap.",
      "New errors for such keys: address_not_allowed (403) and daily_cap_reached (402). At /api/v2, HTTP 200 with the text.",
      "New error email_unconfirmed (403): live keys need a confirmed email address. Test keys work without.",
      "A test key sees only the refills of test orders, and a live key only those of live orders.",
    ],
  },
  {
    version: "1.4.0",
    date: "2026-11-22",
    changes: ["GET /api/services has an ETag, and returns 304 to a request with If-None-Match if nothing changed."],
  },
  {
    version: "1.3.0",
    date: "2026-11-22",
    changes: [
      "Webhooks are sent right after the event, one at a time and in order. Later events wait while one is retried.",
      "Events that were waiting when a webhook was turned off are marked Not sent, and can be resent once it is on.",
    ],
  },
  {
    version: "1.2.0",
    date: "2026-11-22",
    changes: [
      "Requesting refills of several orders returns the ID of each refill instead of 1.",
      "A subscription without posts covers the next 30. It was refused before.",
      "A body that is neither a form nor JSON, or is compressed, gets 415. A wrong key gets 401 even if the body is unreadable.",
    ],
  },
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
      "The OpenAPI document lists every action, error code and response with an example; this page is made from it.",
      "You can create test keys on this page. They expire after a day.",
    ],
  },
  {
    version: "1.0.0",
    date: "2026-11-20",
    changes: [
      "The panel API at /api/v2, single-action routes, and /api/v1/create_order with problem details.",
      "Idempotency keys, test keys, refills, cancellations, rate limit headers.",
    ],
  },
] as const;
