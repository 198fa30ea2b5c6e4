/** Names of pairs that a caller adds beside those that the author of a skill fixed. */
import { attack, EVERYWHERE } from '../attack.ts'
import { callText, freshSkill } from '../target.ts'

const FIXED = { tenant: 'acme', 'filter[owner]': 'us' }
/** Objects that some server reads as one of the fixed names. */
const EVIL = [
  'tenant',
  'Tenant',
  'tenant[]',
  'tenant[x]',
  ' tenant',
  'ten%61nt',
  'tenant.x',
  'filter',
]

export const NAME_ATTACK = attack({
  name: 'names-of-the-author',
  tried:
    'members of an object, and arguments that no schema names, under names that the skill fixes',
  on: EVERYWHERE,
  attempt: async (target) => {
    const eve = await target.user()
    const more = {
      meta: {
        name: 'finds',
        description: 'Finds.',
        parameters: { type: 'object', properties: { f: { type: 'object' } } },
      },
    }
    const config = {
      endpoint: `${target.upstreams.here.url}/names`,
      method: 'GET',
      query: FIXED,
      arguments: { f: { in: 'query' } },
    }
    const id = await freshSkill(target, config, more)
    const statuses: number[] = []
    for (const name of EVIL) {
      for (const args of [{ f: { [name]: 'evil' } }, { [name]: 'evil' }]) {
        statuses.push((await target.call(eve.key, callText(id, args))).status)
      }
    }
    // The control: a name that is nobody's.
    const control = (await target.call(eve.key, callText(id, { f: { status: 'open' } }))).status
    const { credits } = await target.credits(eve.uid)
    return { control, statuses, credits }
  },
  judge: ({ control, credits, statuses }) => {
    if (control !== 200) return `a name that is free got ${control}`
    const taken = statuses.filter((status) => status !== 422)
    if (taken.length > 0) return `a name of the author got ${taken.join(', ')}`
    return credits === 99 ? undefined : `16 refused calls and one of 1 credit left ${credits}`
  },
  held: { control: 200, statuses: [422, 422], credits: 99 },
  broken: [
    { control: 200, statuses: [422, 200], credits: 98 },
    { control: 200, statuses: [422, 422], credits: 83 },
    { control: 422, statuses: [422, 422], credits: 100 },
  ],
})
