import type { Convention } from "#app/orders/providers/conventions/convention.ts";
import { textKey } from "#app/orders/providers/reading/reader.ts";

/**
 * A family of panels that doesn't exist. It shares no call, parameter, member or word with any real one, and answers in
 * other shapes. To serve it, the product needs this value and a line in `CONVENTIONS`, and nothing else.
 */
export const BAZAAR: Convention = {
  name: "Bazaar",
  parameters: { key: "pass", action: "wish" },
  calls: {
    services: { action: "goods" },
    balance: { action: "purse" },
    add: { action: "place" },
    status: { action: "look", one: "parcel", many: "parcels" },
    refill: { action: "top-up", one: "parcel" },
    refill_status: { action: "look-again", one: "top-up", many: "top-ups" },
    cancel: { action: "undo", one: "parcel", many: "parcels" },
  },
  fields: {
    service: "good",
    link: "where",
    quantity: "pieces",
    runs: "rounds",
    interval: "pause",
    comments: "sayings",
  },
  catalog: {
    wrapper: ["stall"],
    group: ["wares"],
    service: {
      id: ["good"],
      name: ["called"],
      category: ["aisle"],
      type: ["sort"],
      rate: ["tollforathousand"],
      price: ["toll"],
      min: ["fewest"],
      max: ["most"],
      dripfeed: ["inrounds"],
      refill: ["lasting"],
      cancel: ["undoable"],
    },
    types: { loose: "Default", bundle: "Package", sayings: "Custom Comments" },
    beside: [],
    paging: {
      ...{ total: ["ofall"], pages: ["sheets"], page: ["sheet"], size: ["persheet"], offset: ["passed"] },
      ...{ more: [], next: ["nextsheet"], nextOffset: [], nextCursor: [], places: ["ledger"] },
      parameters: { page: "sheet", offset: "passed", cursor: "mark", size: ["per-sheet"], others: [] },
    },
  },
  states: {
    onthetable: "Pending",
    beingpacked: "In progress",
    handedover: "Completed",
    handedoverinpart: "Partial",
    takenback: "Canceled",
  },
  refillStates: { onthetable: "Pending", beingpacked: "In progress", handedover: "Completed", sentaway: "Rejected" },
  errors: {
    [textKey("The lane has no such door")]: "target",
    [textKey("The merchant sleeps")]: "busy",
    [textKey("Your purse is too light")]: "funds",
  },
  members: {
    order: ["parcel"],
    id: ["number"],
    refill: ["topup"],
    cancel: ["undone"],
    status: ["whereabouts"],
    remains: ["owed"],
    startCount: ["counted"],
    charge: ["toll"],
    currency: ["coin"],
    subOrders: ["pouches"],
    parts: ["pouches"],
    balance: ["coins"],
    error: ["complaint"],
    message: ["remark"],
    explanation: ["chest"],
    success: ["nod"],
    wrapper: ["chest"],
  },
  marks: { success: ["aye"], failure: ["nay"], alsoStates: [] },
};
