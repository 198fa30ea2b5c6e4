/** `config.task.job`, as sync checks it. */
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../../core/json/json.ts'
import { faults, good, withConfig } from '../reading.ts'

const API = 'https://api.example/jobs'
const STATUS: JsonObject = { endpoint: `${API}/{id}`, pointer: '/status', done: ['done'] }
const JOB: JsonObject = { values: { id: '/id' }, status: STATUS }

function config(job: Json, more: JsonObject = {}): JsonObject {
  return withConfig({ endpoint: API, method: 'POST', task: { max_sec: 60, job, ...more } })
}
const rule = (job: JsonObject) => good(config({ ...JOB, ...job })).skill.task?.job
const faultsOf = (job: JsonObject) => faults(config({ ...JOB, ...job }))

describe('config.task.job', () => {
  test('is read with its defaults', () => {
    expect(good(config(JOB)).skill.task).toEqual({
      maxSec: 60,
      required: false,
      job: {
        values: { id: '/id' },
        status: { endpoint: `${API}/{id}`, pointer: '/status', done: ['done'], failed: [] },
        pollMs: 10_000,
      },
    })
  })

  test('is read with everything', () => {
    const status = { ...STATUS, done: 'ok', failed: [3, false], message: '/m', progress: '/p' }
    const result = { endpoint: `${API}/{id}/result?full=1` }
    const cancel = { method: 'DELETE', endpoint: `${API}/{id}` }
    expect(rule({ status, result, cancel, poll_sec: 2 })).toEqual({
      values: { id: '/id' },
      status: { ...status, done: ['ok'] },
      result,
      cancel,
      pollMs: 2_000,
    })
  })

  test('is absent with null', () => {
    expect(good(config(null)).skill.task).toEqual({ maxSec: 60, required: false })
  })

  test.each([1, 86_400])('takes a max_sec of %i', (max_sec) => {
    expect(good(config(JOB, { max_sec })).skill.task?.maxSec).toBe(max_sec)
  })

  test('refuses a max_sec over a day', () => {
    expect(faults(config(JOB, { max_sec: 86_401 }))).toEqual([
      '/config/task/max_sec must be a whole number of seconds from 1 to 86400',
    ])
  })

  test('a max_sec over 840 without a job is refused with what would allow it', () => {
    expect(faults(config(null, { max_sec: 841 }))).toEqual([
      '/config/task/max_sec must be a whole number of seconds from 1 to 840; up to 86400 with task.job, for an upstream that is asked for its state',
    ])
  })

  test.each([
    'https://evil.example/jobs/{id}',
    'http://api.example/jobs/{id}',
    'https://api.example:8443/jobs/{id}',
    'https://api.example@evil.example/jobs/{id}',
  ])('refuses the address %s, which has another origin', (endpoint) => {
    for (const field of [
      { status: { ...STATUS, endpoint } },
      { result: { endpoint } },
      { cancel: { endpoint } },
    ]) {
      const [fault, ...more] = faultsOf(field)
      expect(fault).toContain('config.endpoint (https://api.example)')
      expect(more).toEqual([])
    }
  })

  test('refuses a place that no value fills', () => {
    expect(faultsOf({ status: { ...STATUS, endpoint: `${API}/{job}` } })).toEqual([
      '/config/task/job/status/endpoint {job} is not among task.job.values; name its place in the answer of the start there',
    ])
  })

  test.each<[string, JsonObject]>([
    ['no values', { values: {} }],
    ['nine values', { values: Object.fromEntries([...'abcdefghi'].map((name) => [name, '/x'])) }],
    ['a value that is no pointer', { values: { id: 'id' } }],
    ['a name of a value with a slash', { values: { id: '/id', 'a/b': '/x' } }],
    ['a status without a pointer', { status: { endpoint: `${API}/{id}`, done: ['x'] } }],
    ['no word for done', { status: { ...STATUS, done: [] } }],
    ['17 words for done', { status: { ...STATUS, done: Array.from({ length: 17 }, (_, n) => n) } }],
    ['a word of 129 characters', { status: { ...STATUS, done: ['x'.repeat(129)] } }],
    ['a word that is an object', { status: { ...STATUS, failed: [{}] } }],
    ['a word for both', { status: { ...STATUS, failed: ['done'] } }],
    ['a pointer for the message that is none', { status: { ...STATUS, message: 'note' } }],
    ['a cancel by GET', { cancel: { method: 'GET', endpoint: API } }],
    ['a result without an address', { result: {} }],
    ['1 s between questions', { poll_sec: 1 }],
    ['over an hour between questions', { poll_sec: 3_601 }],
    ['a secret in an address', { cancel: { endpoint: `${API}/{secrets.KEY}` } }],
  ])('refuses %s', (_what, job) => {
    expect(faultsOf(job)).not.toEqual([])
  })

  test.each([2, 3_600])('takes %i s between questions', (poll_sec) => {
    expect(rule({ poll_sec })?.pollMs).toBe(poll_sec * 1_000)
  })

  test('takes 8 values, 16 words and a word of 128 characters', () => {
    const names = [...'abcdefg', 'id']
    const values = Object.fromEntries(names.map((name) => [name, '/x']))
    const done = ['x'.repeat(128), ...Array.from({ length: 15 }, (_, n) => n)]
    expect(rule({ values, status: { ...STATUS, done } })?.status.done).toHaveLength(16)
  })

  test('refuses a start by HEAD, whose answer has no values', () => {
    const task = { max_sec: 60, job: JOB }
    expect(faults(withConfig({ endpoint: API, method: 'HEAD', task }))).toEqual([
      '/config/task/job needs an answer of the start, and HEAD has none; use POST',
    ])
  })
})
