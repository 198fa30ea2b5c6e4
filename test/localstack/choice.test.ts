/** The choice of the suite's emulator, in this order; needs no emulator itself. */
import { expect, test } from 'vitest'
import { chooseEmulator } from './choice.ts'

const nothing = { endpoint: undefined, startScript: undefined, dockerAnswers: () => false }
const docker = () => true
const script = 'test/localstack/start-ministack.sh'

test('a given endpoint comes first, and Docker is not asked', () => {
  const dockerAnswers = () => {
    throw new Error('asked')
  }
  const endpoint = 'http://127.0.0.1:4566'
  const chosen = chooseEmulator({ endpoint, startScript: script, dockerAnswers })
  expect(chosen).toEqual({ kind: 'given', endpoint: 'http://127.0.0.1:4566' })
})

test('Docker comes where no start script is given', () => {
  expect(chooseEmulator({ ...nothing, dockerAnswers: docker })).toEqual({ kind: 'compose' })
})

test('a start script comes before Docker, and is found from the repository', () => {
  const chosen = chooseEmulator({ ...nothing, startScript: script, dockerAnswers: docker })
  expect(chosen).toMatchObject({
    kind: 'script',
    script: expect.stringMatching(/^\/.*\/test\/localstack\/start-ministack\.sh$/),
  })
})

test('the reason is given when there is nothing to start, or the script does not exist', () => {
  expect(chooseEmulator(nothing)).toEqual({
    kind: 'none',
    why: 'There is no emulator: AWS_ENDPOINT_URL is not set, no Docker engine answers.',
  })
  expect(chooseEmulator({ ...nothing, startScript: 'no/such.sh' })).toEqual({
    kind: 'none',
    why: 'LOCALSTACK_START names a file that is not there: no/such.sh',
  })
})
