/** Every remedy in the words of its readers, and what an answer must have to be a remedy. */
import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../../../cli/commands/commands.ts'
import { explainProblem } from '../../../cli/gateway/explain-problem.ts'
import { toProblem } from '../../../core/call/problem.ts'
import type { Refusal } from '../../../core/errors.ts'
import { addRemedy } from '../../../core/remedies/admin-problem.ts'
import { REMEDY_PARAMETERS, readShownRemedy } from '../../../core/remedies/read-remedy.ts'
import type { Remedy } from '../../../core/remedies/remedy.ts'
import { showRemedy, writeRemedy } from '../../../core/remedies/remedy-words.ts'
import { ROUTES } from '../../../lambdas/admin/routes.ts'

/** A remedy of each code, with and without what is optional. */
const REMEDIES: readonly Remedy[] = [
  { code: 'allow_debt' },
  { code: 'approve_upstream', upstream: 'files' },
  { code: 'confirm_secret', name: 'KEY', uid: 'ada', skill: 'sg_a' },
  { code: 'confirm_secret', name: 'KEY' },
  { code: 'create_user', uid: 'ada' },
  { code: 'create_user' },
  { code: 'delete_upstream', upstream: 'files' },
  { code: 'end_used_invite', uid: 'ada' },
  { code: 'find_identity' },
  { code: 'finish_upstream', upstream: 'files' },
  { code: 'get_role', role: 'operator' },
  { code: 'grant_initial', uid: 'ada', amount: '5' },
  { code: 'grant_rest', uid: 'ada' },
  { code: 'list_admin_keys' },
  { code: 'list_failed_events' },
  { code: 'list_guides' },
  { code: 'list_keys', uid: 'ada' },
  { code: 'list_logins', uid: 'ada' },
  { code: 'list_secrets', uid: 'ada' },
  { code: 'list_shared_secrets' },
  { code: 'list_skills' },
  { code: 'list_upstreams' },
  { code: 'name_owner' },
  { code: 'name_user', name: 'KEY', shared: true },
  { code: 'name_user', name: 'KEY', shared: false },
  { code: 'plan_upstream', upstream: 'files' },
  { code: 'send_credential' },
  { code: 'send_internal_secret' },
  { code: 'set_secret', uid: 'ada', name: 'KEY', skill: 'sg_a', shared: true },
  { code: 'set_secret', uid: 'ada', name: 'KEY', skill: 'sg_a', shared: false },
  { code: 'sign_in' },
  { code: 'sync_skill' },
  { code: 'unlink_identity', uid: 'ada', keyId: 'i:x' },
]

/** What a request is made of, and no command. */
const REST_WORDS = /\b(GET|POST|PUT|PATCH|DELETE)\b|\/v1\/|X-Admin-Key|Authorization:|\?[a-z]+=/

function matchesPath(template: string, path: string): boolean {
  const parts = template.replaceAll(/\{[^}]*\}/g, '[^/]+').replaceAll(':', '[:]')
  return new RegExp(`^${parts}$`).test(path)
}

describe('the remedies of this test', () => {
  test('are all that there are', () => {
    const codes = new Set(REMEDIES.map(({ code }) => code))
    expect([...codes].sort()).toEqual(Object.keys(REMEDY_PARAMETERS).sort())
  })
})

describe.each(REMEDIES)('the remedy %j', (remedy) => {
  test('has no words of REST for the terminal, and no command for REST', () => {
    const { rest, terminal } = writeRemedy(remedy)
    expect(terminal).not.toMatch(REST_WORDS)
    expect(rest).not.toMatch(/skillgate|--[a-z]/)
  })

  test('names requests and commands that exist', () => {
    const { rest, terminal } = writeRemedy(remedy)
    for (const [, method = '', path = ''] of rest.matchAll(
      /\b(GET|POST|PUT|PATCH|DELETE) \/v1\/admin([^ ?.]*)/g,
    )) {
      const isServed = ROUTES.some((one) => one.method === method && matchesPath(one.path, path))
      expect([method, path, isServed]).toEqual([method, path, true])
    }
    for (const [, words = ''] of terminal.matchAll(/skillgate ([a-z][a-z -]*[a-z])/g)) {
      const known = COMMANDS.some(({ name }) => words === name || words.startsWith(`${name} `))
      expect([words, known]).toEqual([words, true])
    }
  })

  test('comes back from the answer of the admin API', () => {
    const shown = showRemedy({ detail: 'uid: is wrong.', remedy })
    expect(shown.detail).toBe(`uid: is wrong. ${writeRemedy(remedy).rest}`)
    expect(explainProblem(shown.detail, JSON.parse(JSON.stringify(shown.remedy)))).toEqual({
      detail: 'uid: is wrong.',
      remedy: writeRemedy(remedy).terminal,
    })
  })

  test('is in no problem document of a call', () => {
    const refusal: Refusal = { code: 'not_found', detail: 'It is not there.', remedy }
    expect(toProblem(refusal)).not.toHaveProperty('remedy')
    expect(toProblem(refusal).detail).toBe('It is not there.')
    expect(addRemedy(toProblem(refusal), refusal)).toMatchObject({ remedy: { ...remedy } })
  })

  test('without one of its parameters is none', () => {
    const whole = { ...remedy, text: 'GET /x' }
    for (const name of ['text', 'code', ...REMEDY_PARAMETERS[remedy.code]]) {
      expect(readShownRemedy({ ...whole, [name]: 7 })).toBeUndefined()
    }
    expect(readShownRemedy(whole)).toEqual(whole)
  })
})

describe('the remedy of an answer', () => {
  test.each([
    [undefined],
    [null],
    [[]],
    ['x'],
    [{ code: 'toString', text: 'x' }],
    [{ code: 'later', text: 'x' }],
  ])('is none if it is %j, and the detail stays', (value) => {
    expect(explainProblem('It is wrong. x', value)).toEqual({
      detail: 'It is wrong. x',
      remedy: undefined,
    })
  })

  test('is quoted for a shell', () => {
    const { terminal } = writeRemedy({ code: 'create_user', uid: "a'b; rm -rf ~" })
    expect(terminal).toBe("skillgate users create 'a'\\''b; rm -rf ~' makes one.")
  })

  test('ends a detail without a full stop with one', () => {
    const { detail } = showRemedy({ detail: 'uid: is wrong', remedy: { code: 'name_owner' } })
    expect(detail).toBe('uid: is wrong. Add ?uid=<user id> to the URL.')
  })
})
