/** A sync that tries to lose the price of a skill. */
import { fieldsOf, numberOf } from '../../e2e/fields.ts'
import { attack, EVERYWHERE } from '../attack.ts'
import { freshId, freshSkill, skillOf } from '../target.ts'

const PRICE = 2

export const PRICE_ATTACK = attack({
  name: 'price-null',
  tried: 'a sync without a price, or with null, in JSON and in Markdown',
  on: EVERYWHERE,
  attempt: async (target) => {
    const config = { endpoint: `${target.upstreams.here.url}/prices`, method: 'GET' }
    const id = await freshSkill(target, config, { credits_per_call: PRICE })
    const { credits_per_call: _, ...unpriced } = skillOf(id, config)
    const texts = [
      JSON.stringify({ ...unpriced, credits_per_call: null }),
      JSON.stringify(unpriced),
      markdownOf(id, config.endpoint, 'credits_per_call: null'),
      markdownOf(id, config.endpoint, ''),
    ]
    const statuses: number[] = []
    for (const text of texts) {
      statuses.push((await target.ask('POST', 'sync_skill?source=official', text)).status)
    }
    // The control: the same Markdown with a price, under another id.
    const priced = markdownOf(`sg_${freshId()}`, config.endpoint, 'credits_per_call: 1')
    const control = (await target.ask('POST', 'sync_skill?source=official', priced)).status
    const shown = (await target.must('GET', `skills/official/${id}`)).json()
    return { control, statuses, price: numberOf(fieldsOf(shown, 'skill'), 'credits_per_call') }
  },
  judge: ({ control, price, statuses }) => {
    if (control !== 201) return `a skill with a price got ${control}`
    if (price !== PRICE) return `the price is ${price} now`
    const taken = statuses.filter((status) => status !== 422)
    return taken.length === 0 ? undefined : `a sync without a price got ${taken.join(', ')}`
  },
  held: { control: 201, statuses: [422, 422, 422, 422], price: 2 },
  broken: [
    { control: 201, statuses: [200, 422, 422, 422], price: 0 },
    { control: 201, statuses: [422, 422, 200, 422], price: 2 },
    { control: 422, statuses: [422, 422, 422, 422], price: 2 },
  ],
})

function markdownOf(id: string, endpoint: string, price: string): string {
  const yaml = ['source: official', `id: ${id}`, price, `endpoint: ${endpoint}`, 'method: GET']
  const lines = yaml.filter((line) => line !== '').join('\n')
  const parameters = '{"type": "object", "properties": {}}'
  return `# Prices\n\nHas a price.\n\n~~~yaml\n${lines}\n~~~\n\n~~~json\n${parameters}\n~~~\n`
}
