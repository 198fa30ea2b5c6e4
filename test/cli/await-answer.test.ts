import { request } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type AnswerListener, listenForAnswer } from '../../cli/sign-in/await-answer.ts'

const STATE = 'the-state'

let listener: AnswerListener
let interrupted: AbortController

beforeEach(async () => {
  interrupted = new AbortController()
  listener = await listenForAnswer({ state: STATE, port: 0, signal: interrupted.signal })
})
afterEach(() => listener.close())

/** One GET, whose Host may be another one. */
function get(pathAndQuery: string, host?: string, method = 'GET'): Promise<number | undefined> {
  const url = new URL(pathAndQuery, listener.redirectUri)
  const options = { method, ...(host === undefined ? {} : { headers: { host } }) }
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode))
    })
    sent.on('error', reject)
    sent.end()
  })
}

describe('the listener of the answer', () => {
  test('is on loopback alone, and takes the answer with its state', async () => {
    expect(listener.redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
    expect(await get(`/callback?code=abc&state=${STATE}`)).toBe(200)
    expect((await listener.answer).get('code')).toBe('abc')
  })

  test.each<readonly [what: string, path: string, host: string | undefined]>([
    ['another name of this machine', `/callback?code=evil&state=${STATE}`, 'evil.example'],
    ['the right name with another port', `/callback?code=evil&state=${STATE}`, '127.0.0.1:1'],
    ['localhost', `/callback?code=evil&state=${STATE}`, 'localhost'],
    ['another state', '/callback?code=evil&state=other', undefined],
    ['no state', '/callback?code=evil', undefined],
    ['a state twice', `/callback?code=evil&state=${STATE}&state=${STATE}`, undefined],
    ['two codes', `/callback?code=evil&code=abc&state=${STATE}`, undefined],
    ['another path', `/?code=evil&state=${STATE}`, undefined],
  ])('refuses %s, and goes on waiting', async (_what, path, host) => {
    expect(await get(path, host)).toBe(400)
    expect(await get(`/callback?code=abc&state=${STATE}`)).toBe(200)
    expect((await listener.answer).get('code')).toBe('abc')
  })

  test('refuses another method, and goes on waiting', async () => {
    expect(await get(`/callback?code=evil&state=${STATE}`, undefined, 'POST')).toBe(400)
    expect(await get(`/callback?code=abc&state=${STATE}`)).toBe(200)
    expect((await listener.answer).get('code')).toBe('abc')
  })

  test('takes the first answer alone', async () => {
    await get(`/callback?code=first&state=${STATE}`)
    await get(`/callback?code=second&state=${STATE}`)
    expect((await listener.answer).get('code')).toBe('first')
  })

  test('ends with the command', async () => {
    interrupted.abort(new Error('Ctrl-C'))
    await expect(listener.answer).rejects.toThrow('Ctrl-C')
  })

  test('names the option for a port that is not free', async () => {
    const port = Number(new URL(listener.redirectUri).port)
    const again = listenForAnswer({ state: STATE, port, signal: interrupted.signal })
    await expect(again).rejects.toThrow(`--port: ${port} on this machine is not free.`)
  })
})
