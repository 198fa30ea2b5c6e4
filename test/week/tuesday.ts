/** Tuesday of the week: an HTTP API becomes a tool. */
import type { Day } from './step.ts'

const ORDER = `{
  "id": "sg_order",
  "source": "official",
  "meta": {
    "name": "Order state",
    "description": "Tells whether an order was shipped.",
    "parameters": {
      "type": "object",
      "properties": {
        "order": { "type": "string", "description": "Number of the order." }
      },
      "required": ["order"]
    }
  },
  "config": {
    "endpoint": "UPSTREAM/orders/{order}",
    "method": "GET",
    "headers": { "x-api-key": "{{secrets.SHOP_KEY}}" }
  },
  "credits_per_call": 0.5
}
`

export const TUESDAY: Day = {
  title: 'Tuesday: the author',
  intro: 'Lee turns the HTTP API of the shop into a tool.',
  startsAt: '2026-11-03T09:00:00Z',
  steps: [
    {
      says: 'The documentation of the API has a curl line. Its key does not get into the file.',
      stdin: "curl -H 'x-api-key: 8fK2pQ7mZ4' 'https://shop.example.com/v2/stock?shelf=A7'",
      line: 'skillgate skills new shelf.json --from-curl - --credits 0.2',
    },
    {
      says: 'The secret is set once, for one origin.',
      stdin: 's3cr3t-of-the-shop',
      line: 'skillgate secrets shared set SHOP_KEY --origin UPSTREAM',
    },
    {
      says: 'The first file is written by hand, with mistakes in it.',
      saves: {
        'skills/order.json': ORDER.replace('endpoint', 'endpont')
          .replace('"GET"', '"FETCH"')
          .replace('credits_per_call', 'credit_per_call'),
      },
      line: 'skillgate skills push skills/order.json',
      code: 1,
      picture: 'refused',
    },
    {
      says: 'The second has a comma too few.',
      saves: { 'skills/order.json': ORDER.replace('"GET",', '"GET"') },
      line: 'skillgate skills push skills/order.json',
      code: 1,
    },
    {
      says: 'A key in the clear is refused.',
      saves: {
        'skills/order.json': ORDER.replace('{{secrets.SHOP_KEY}}', 's3cr3t-of-the-shop-8fK2pQ7mZ4'),
      },
      line: 'skillgate skills push skills/order.json',
      code: 1,
    },
    {
      says: 'Now the skill is stored.',
      saves: { 'skills/order.json': ORDER },
      line: 'skillgate skills push skills/order.json',
    },
    {
      says: 'What would a call send? The arguments are kept beside the skill.',
      line: 'skillgate skills test skills/order.json order=4711 --as ada --save',
      picture: 'test',
    },
    {
      says: 'The same arguments again, and this time the request is sent, free of charge.',
      line: 'skillgate skills test skills/order.json --saved --send',
    },
    {
      says: 'While Lee edits, each save is pushed and tested.',
      line: 'skillgate skills push skills --watch',
      watch: {
        'skills/order.json': ORDER.replace('was shipped.', 'was shipped, and what is in it.'),
      },
      code: 130,
    },
    {
      says: "Ada's agent calls the tool.",
      line: 'SKILLGATE_KEY=$ADA_KEY skillgate call sg_order order=4711',
    },
    {
      says: 'A wrong argument costs nothing.',
      line: 'SKILLGATE_KEY=$ADA_KEY skillgate call sg_order number=4711',
      code: 1,
    },
  ],
}
