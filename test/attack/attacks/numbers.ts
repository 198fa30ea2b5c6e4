/** Numbers that JSON.parse changes, sent to every door. */
import { openRawSession } from '../../e2e/raw-session.ts'
import { attack, EVERYWHERE } from '../attack.ts'
import { freshId, freshSkill, postMcp, skillOf, type Target } from '../target.ts'

const CHANGED = ['9007199254740993', '1e999', '0.1234567890123456789']

type Evidence = {
  /** The control: a number that JSON.parse keeps reached the upstream. */
  readonly isServed: boolean
  /** The answer to each call with a number that JSON.parse changes. */
  readonly answers: readonly string[]
  /** How many of these calls reached the upstream. */
  readonly reached: number
}

const held = {
  isServed: true,
  answers: ['/n: is a number that would be changed; send it as a string'],
  reached: 0,
}

const CALLED = attack<Evidence>({
  name: 'changed-numbers',
  tried:
    'numbers that no double keeps, by execute, /mcp and a stream, and under one Idempotency-Key',
  on: EVERYWHERE,
  attempt: async (target) => {
    const { key } = await target.user()
    const parameters = { type: 'object', properties: { n: { type: 'number' } } }
    const endpoint = `${target.upstreams.here.url}/numbers`
    const meta = { name: 'numbers', description: 'Takes a number.', parameters }
    const skill = await freshSkill(target, { endpoint, method: 'GET' }, { meta })
    const count = () => target.upstreams.here.seen.filter((one) => one.includes('/numbers')).length
    const before = count()
    const same = { 'idempotency-key': 'neighbours' }
    await target.call(key, executeText(skill, '9007199254740992'), same)
    const isServed = count() === before + 1
    const answers = [(await target.call(key, executeText(skill, '9007199254740993'), same)).text]
    for (const number of CHANGED) {
      answers.push((await target.call(key, executeText(skill, number))).text)
      answers.push((await postMcp(target, key, mcpText(skill, number))).text)
    }
    answers.push(await overStream(target, key, mcpText(skill, '9007199254740993')))
    return { isServed, answers, reached: count() - before - 1 }
  },
  judge: ({ answers, isServed, reached }) => {
    if (!isServed) return 'a number that survives was not served'
    if (reached > 0) return `${reached} changed numbers reached the upstream`
    const silent = answers.find((answer) => !answer.includes('send it as a string'))
    return silent === undefined ? undefined : `answered without the remedy: ${silent.slice(0, 120)}`
  },
  held,
  broken: [
    { ...held, reached: 1 },
    { ...held, answers: [...held.answers, '{"isError":false}'] },
    { ...held, isServed: false },
  ],
})

const DEFINED = attack({
  name: 'changed-definitions',
  tried:
    'numbers that no double keeps in the definition of a skill, by each form that a sync takes',
  on: EVERYWHERE,
  attempt: async (target) => {
    const answers: string[] = []
    const kept = await synced(target, '9007199254740992', asItIs)
    for (const number of CHANGED) {
      for (const form of FORMS) answers.push((await synced(target, number, form)).text)
    }
    return { isServed: kept.status === 201, answers }
  },
  judge: ({ answers, isServed }) => {
    if (!isServed) return 'a definition whose numbers survive was refused'
    const taken = answers.find((answer) => !REFUSED.test(answer))
    return taken === undefined ? undefined : `taken: ${taken.slice(0, 120)}`
  },
  held: { isServed: true, answers: ['/meta/…/default is a number that would be changed'] },
  broken: [
    { isServed: true, answers: ['{"skill":{"id":"sg_x"},"created":true}'] },
    { isServed: false, answers: [] },
  ],
})

/** YAML's reader finds infinite numbers by itself. */
const REFUSED = /a number that (would be changed|JSON cannot hold)/

export const NUMBER_ATTACKS = [CALLED, DEFINED]

/** The ways in which a sync takes a skill with the number as the default of its parameter. */
const FORMS: readonly ((definition: string, number: string) => string)[] = [
  asItIs,
  (definition) => `[${definition}]`,
  (definition) => `{"skills":[{"version":1,"skill":${definition}}]}`,
  (_definition, number) => markdown(`hint: ${number}`, '{"type":"object"}'),
  (_definition, number) => markdown('', `{"type":"object","properties":{"n":{"const":${number}}}}`),
]

function asItIs(definition: string): string {
  return definition
}

function markdown(line: string, parameters: string): string {
  const yaml = `source: official\ncredits_per_call: 0\nendpoint: https://api.example.com/\n${line}`
  return `# Numbers\n\nCounts.\n\n~~~yaml\n${yaml}\n~~~\n\n~~~json\n${parameters}\n~~~\n`
}

function synced(target: Target, number: string, form: (typeof FORMS)[number]) {
  const properties = { n: { type: 'number', default: PLACE } }
  const meta = { name: 'n', description: 'Takes n.', parameters: { type: 'object', properties } }
  const config = { endpoint: `${target.upstreams.here.url}/numbers`, method: 'GET' }
  const text = JSON.stringify(skillOf(`sg_${freshId()}`, config, { meta }))
  const definition = text.replace(`${PLACE}`, number)
  return target.ask('POST', 'sync_skill?list=later', form(definition, number))
}

/** A number that appears nowhere else in a skill. */
const PLACE = 424_242

function executeText(skill: string, number: string): string {
  return `{"skill":"${skill}","arguments":{"n":${number}}}`
}

function mcpText(skill: string, number: string): string {
  return `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"${skill}","arguments":{"n":${number}}}}`
}

async function overStream(target: Target, key: string, message: string): Promise<string> {
  const session = await openRawSession(target.sse, key)
  try {
    const posted = await session.post(message)
    return posted.status === 202
      ? await session.message((data) => data.includes('"id":7'))
      : posted.text
  } finally {
    session.close()
  }
}
