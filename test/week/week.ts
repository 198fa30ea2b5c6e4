/**
 * A week with the command line, as data: four people, what each wants, and the lines that they
 * type. test/week/week.test.ts runs it and holds docs/week.md and its pictures.
 */

export type Step = {
  /** What the person wants, as a sentence. */
  readonly says: string
  readonly line: string
  /** Text that is piped in. */
  readonly stdin?: string
  /** Files that the person saves before. `UPSTREAM` is the origin of the API. */
  readonly saves?: { readonly [path: string]: string }
  /** True if the API of the week fails from here on, false if it works again. */
  readonly upstreamFails?: boolean
  /** Exit code; 0 unless it is given. */
  readonly code?: number
  /** The name of the picture that shows this step. */
  readonly picture?: string
  /** The step is repeated until its output has this text: sums are up to a minute late. */
  readonly until?: string
}

export type Day = {
  readonly title: string
  readonly intro: string
  /** When its first step happens; each further one is ten minutes later. */
  readonly startsAt: string
  readonly steps: readonly Step[]
}

const ORDER = {
  id: 'sg_order',
  meta: {
    name: 'Order state',
    description: 'Tells whether an order was shipped.',
    parameters: {
      type: 'object',
      properties: { order: { type: 'string', description: 'Number of the order.' } },
      required: ['order'],
    },
  },
  config: { endpoint: 'UPSTREAM/orders/{order}', method: 'GET' },
  credits_per_call: 0.5,
}

export const WEEK: readonly Day[] = [
  {
    title: 'Monday: the administrator',
    intro: 'Kim has a new gateway. Two colleagues need accounts, and their agents need keys.',
    startsAt: '2026-11-02T09:00:00Z',
    steps: [
      { says: 'Which gateway is this, and who am I?', line: 'skillgate whoami' },
      { says: 'Add two users.', line: 'skillgate users create ada --credits 25' },
      { says: 'The second has little to spend.', line: 'skillgate users create bo --credits 3' },
      { says: 'Who is there?', line: 'skillgate users ls', picture: 'users' },
    ],
  },
  {
    title: 'Tuesday: the author',
    intro: 'Lee turns an HTTP API into a tool.',
    startsAt: '2026-11-03T09:00:00Z',
    steps: [
      {
        says: 'A first try, with mistakes in it.',
        saves: {
          'skills/order.json': JSON.stringify(
            { ...ORDER, config: { endpont: 'UPSTREAM/orders/{order}', methd: 'FETCH' } },
            null,
            2,
          ),
        },
        line: 'skillgate skills push skills/order.json --source official',
        code: 1,
        picture: 'refused',
      },
      {
        says: 'Corrected.',
        saves: { 'skills/order.json': JSON.stringify(ORDER, null, 2) },
        line: 'skillgate skills push skills/order.json --source official',
      },
      {
        says: 'What would a call send?',
        line: 'skillgate skills test sg_order user=demo order=4711',
      },
      { says: 'Call it as an agent does.', line: 'skillgate call sg_order order=4711' },
    ],
  },
]
