/** Numbers that JSON.parse changes, by every door. */
import { openRawSession } from '../../e2e/raw-session.ts'
import { attack, EVERYWHERE } from '../attack.ts'
import { freshSkill, postMcp, type Target } from '../target.ts'

const CHANGED = ['9007199254740993', '1e999', '0.1234567890123456789']

type Evidence = {
  /** A number that survives reached the upstream. */
  readonly isServed: boolean
  /** What each call with a changed number was answered. */
  readonly answers: readonly string[]
  /** Requests of theirs that reached the upstream. */
  readonly reached: number
}

const held = {
  isServed: true,
  answers: ['/n: is a number that would be changed; send it as a string'],
  reached: 0,
}

export const NUMBER_ATTACK = attack<Evidence>({
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
