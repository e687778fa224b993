// A panel client that sends multipart forms, its key as a Bearer token, and a URL with a trailing slash.
const [url, key, service] = process.argv.slice(2);

async function call(action, fields = {}) {
  const body = new FormData();
  for (const [name, value] of Object.entries({ action, ...fields })) body.set(name, value);
  const response = await fetch(`${url}/`, { method: "POST", body, headers: { Authorization: `Bearer ${key}` } });
  return response.json();
}

const first = await call("add", { service, link: "https://instagram.com/p/node", quantity: 100, runs: undefined });
const second = await call("add", { service, link: "https://instagram.com/p/node2", quantity: 100 });
console.log(
  JSON.stringify({
    services: (await call("services")).length,
    order: first.order,
    status: await call("status", { order: first.order }),
    statuses: await call("status", { orders: `${first.order},999999999` }),
    cancel: await call("cancel", { orders: second.order }),
    refill: await call("refill", { order: first.order }),
    refillStatus: await call("refill_status", { refill: 999999999 }),
    balance: await call("balance"),
  }),
);
