/** The skills of these tests: one for each way in which a call can end. */
import { bearer, postJson } from '../e2e/http.ts'

type Admin = { readonly admin: string; readonly internalApiSecret: string }

/** Each takes `{text}`, posts it on, and costs 1 credit; `sg_free` costs none. */
export const SKILLS = [
  { id: 'sg_works', path: '/ok', price: 1 },
  { id: 'sg_free', path: '/free', price: 0 },
  { id: 'sg_fails', path: '/fails', price: 1 },
  /** Cut by its own timeout, which leaves a busy machine the time to ask the upstream. */
  { id: 'sg_hangs', path: '/hangs', price: 1, timeoutMs: 1_000 },
  /** Hangs until its caller gives up. */
  { id: 'sg_waits', path: '/hangs', price: 1 },
  /** Go on as tasks; the second asks first. */
  { id: 'sg_long_task', path: '/slow', price: 1, isTask: true },
  { id: 'sg_asking_task', path: '/asks', price: 1, isTask: true, response: { as: 'mcp' } },
] as const

export type SkillId = (typeof SKILLS)[number]['id']

export async function pushSkills(at: Admin, upstreamHost: string): Promise<void> {
  for (const skill of SKILLS) {
    const answer = await postJson(`${at.admin}/sync_skill`, definition(skill, upstreamHost), {
      ...bearer(at.internalApiSecret),
    })
    if (answer.status !== 201) throw new Error(`${answer.status}: ${answer.text}`)
  }
}

export function definition(skill: (typeof SKILLS)[number], upstreamHost: string) {
  return {
    id: skill.id,
    source: 'official',
    meta: {
      name: skill.id,
      description: `Made by a test: ${skill.id}.`,
      parameters: {
        type: 'object',
        properties: { text: { type: 'string' } },
        required: ['text'],
      },
    },
    config: {
      endpoint: `http://${upstreamHost}${skill.path}`,
      method: 'POST',
      ...('isTask' in skill ? { task: { max_sec: 60 } } : {}),
      ...('response' in skill ? { response: skill.response } : {}),
      ...('timeoutMs' in skill ? { timeout_ms: skill.timeoutMs } : {}),
    },
    credits_per_call: skill.price,
  }
}
