/**
 * The further requests of a job as skills of their own: a question for its state, for its result,
 * the answers to its questions, or what stops it. They go to the origin of the start with the skill's credential, hooks, and the
 * headers that have no argument; arguments of the call are not kept for them. Sends nothing.
 */
import type { Template } from '../skills/definition/template.ts'
import type { HttpMethod, Skill } from '../skills/skill.ts'

export type JobRequest = 'status' | 'result' | 'cancel' | 'answer'

/** The values of the start's answer by name, for the places of the addresses. */
export type JobValues = { readonly [name: string]: string }

/** Undefined if the job has no such request. */
export function toJobSkill(skill: Skill, request: JobRequest): Skill | undefined {
  const { job } = skill.task ?? {}
  const target = job?.[request]
  if (job === undefined || target === undefined) return undefined
  const { bodyAs: _form, places: _places, ...rest } = skill
  const method: HttpMethod = 'method' in target ? target.method : 'GET'
  return {
    ...rest,
    endpoint: target.endpoint,
    method,
    headers: pickPairs(skill.headers, ([name]) => name !== 'content-type'),
    // A pair of the query belongs to the start, unless it is a credential.
    query: pickPairs(skill.query, ([, template]) => template.some(({ kind }) => kind === 'secret')),
    body: undefined,
    bodyAs: 'none',
    bodyEncoding: undefined,
    parameters: NO_PARAMETERS,
  }
}

const NO_PARAMETERS = { type: 'object', properties: {} } as const

function pickPairs(
  pairs: Skill['headers'],
  isKept: (pair: readonly [string, Template]) => boolean,
): Skill['headers'] {
  const kept = Object.entries(pairs).filter(
    (pair) => isKept(pair) && pair[1].every(({ kind }) => kind === 'text' || kind === 'secret'),
  )
  return Object.fromEntries(kept)
}
