// A client that sends a form of several parts, with the key as Bearer token and the address with a slash.
const [url, key, service] = process.argv.slice(2);

async function call(action, fields = {}) {
  const body = new FormData();
  for (const [name, value] of Object.entries({ action, ...fields })) body.set(name, value);
  const answer = await fetch(`${url}/`, { method: "POST", body, headers: { Authorization: `Bearer ${key}` } });
  return answer.json();
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
