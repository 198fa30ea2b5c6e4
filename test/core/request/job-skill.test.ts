/** The further requests of a job, as skills of their own. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../core/json/json.ts'
import { draftRequest } from '../../../core/request/draft-request.ts'
import { type JobRequest, toJobSkill } from '../../../core/request/job-skill.ts'
import { good, withConfig } from '../skills/reading.ts'

const API = 'https://api.example/jobs'
const SKILL = good(
  withConfig({
    endpoint: API,
    method: 'POST',
    auth: { type: 'bearer', secret: 'TOKEN' },
    headers: {
      'content-type': 'application/json',
      'x-team': 'blue',
      'x-subject': '{{args.subject}}',
      'x-desk': '{{secrets.DESK}}',
    },
    query: { version: '2', key: '{{secrets.KEY}}' },
    body: { prompt: '{{args.subject}}' },
    task: {
      max_sec: 60,
      job: {
        values: { id: '/id', shard: '/shard' },
        status: { endpoint: `${API}/{id}?part={shard}`, pointer: '/status', done: ['done'] },
        cancel: { method: 'PUT', endpoint: `${API}/{id}/stop` },
      },
    },
  } satisfies JsonObject),
).skill

const SECRETS = new Map([
  ['TOKEN', 't0k'],
  ['DESK', 'd3sk'],
  ['KEY', 'k3y'],
])

function requestOf(request: JobRequest, values: JsonObject) {
  const skill = toJobSkill(SKILL, request)
  const draft = skill && draftRequest(skill, values)
  const completed = draft?.ok === true ? draft.value.complete(SECRETS) : undefined
  return completed?.ok === true ? completed.value : undefined
}

describe('a further request of a job', () => {
  test('has the credentials and fixed headers of the skill, no argument and no body', () => {
    expect(requestOf('status', { id: 'j1', shard: 'a&b=c' })).toMatchObject({
      method: 'GET',
      url: `${API}/j1?part=a%26b%3Dc&key=k3y`,
      headers: { authorization: 'Bearer t0k', 'x-team': 'blue', 'x-desk': 'd3sk' },
      body: undefined,
    })
    const names = Object.keys(requestOf('status', { id: 'j1', shard: 's' })?.headers ?? {})
    expect(names).not.toContain('content-type')
    expect(names).not.toContain('x-subject')
  })

  test('is sent by its own method, without a body', () => {
    const request = requestOf('cancel', { id: 'j1' })
    expect([request?.method, request?.url, request?.body]).toEqual([
      'PUT',
      `${API}/j1/stop?key=k3y`,
      undefined,
    ])
  })

  test.each(['..', '.', '', '%2e%2e'])('a value %j cannot leave its segment', (id) => {
    const url = requestOf('cancel', { id })?.url
    expect(url === undefined || new URL(url).pathname.startsWith('/jobs/%25')).toBe(true)
  })

  test('is none where the job has no such request', () => {
    expect(toJobSkill(SKILL, 'result')).toBeUndefined()
    const { task: _task, ...plain } = SKILL
    expect(toJobSkill(plain, 'status')).toBeUndefined()
  })
})
