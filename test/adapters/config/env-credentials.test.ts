import { afterEach, expect, test, vi } from 'vitest'
import { defaultProvider } from '../../../adapters/config/env-credentials.ts'

afterEach(() => vi.unstubAllEnvs())

test('credentials are those that the environment has at the time of the request', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'ASIAX')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  vi.stubEnv('AWS_SESSION_TOKEN', '')
  const provide = defaultProvider()
  expect(await provide()).toEqual({ accessKeyId: 'ASIAX', secretAccessKey: 'secret' })
  vi.stubEnv('AWS_SESSION_TOKEN', 'token')
  expect((await provide()).sessionToken).toBe('token')
})

test('missing variables are named when there are no credentials', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'ASIAX')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', '')
  await expect(defaultProvider()()).rejects.toThrow(
    'The environment does not fit:\n  AWS_SECRET_ACCESS_KEY: is missing; give the secret',
  )
})
