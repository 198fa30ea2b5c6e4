/** Functions by their tags, against a stand-in that verifies signatures. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeTaggedFunctions } from '../../../adapters/functions/tagging-api.ts'
import {
  CREDENTIALS,
  type LambdaStandIn,
  lambdaError,
  type StandInAnswer,
  startLambdaStandIn,
} from '../upstream/lambda-stand-in.ts'

const arnOf = (name: string) => `arn:aws:lambda:eu-west-1:111122223333:function:${name}`

let standIn: LambdaStandIn
beforeAll(async () => {
  standIn = await startLambdaStandIn()
})
afterAll(() => standIn.close())
beforeEach(() => {
  standIn.tagRequests.length = 0
})

function page(names: readonly string[], token = ''): StandInAnswer {
  const list = names.map((name) => ({
    ResourceARN: arnOf(name),
    Tags: [{ Key: 'team', Value: 'shop' }],
  }))
  return { body: JSON.stringify({ PaginationToken: token, ResourceTagMappingList: list }) }
}

function find(answers: StandInAnswer[], value?: string) {
  standIn.tagAnswers = answers
  const { endpoint } = standIn
  const kinds = { fips: false, dualStack: false }
  const config = { region: 'eu-west-1', credentials: CREDENTIALS, endpoint, kinds }
  return makeTaggedFunctions(config).find({ key: 'team', value })
}

const names = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => `f${from + index}`)

describe('the functions with a tag', () => {
  test('are read page by page with the tags of each', async () => {
    expect(await find([page(['a'], 'next'), page(['b'])], 'shop')).toEqual({
      kind: 'found',
      functions: [
        { arn: arnOf('a'), tags: { team: 'shop' } },
        { arn: arnOf('b'), tags: { team: 'shop' } },
      ],
    })
    const request = {
      ResourceTypeFilters: ['lambda:function'],
      TagFilters: [{ Key: 'team', Values: ['shop'] }],
      ResourcesPerPage: 100,
    }
    expect(standIn.tagRequests).toEqual([request, { ...request, PaginationToken: 'next' }])
  })

  test('may have any value of it', async () => {
    await find([page([])])
    expect(standIn.tagRequests).toMatchObject([{ TagFilters: [{ Key: 'team' }] }])
  })

  test('are at most 1000', async () => {
    const pages = (count: number) =>
      Array.from({ length: 10 }, (_, index) => page(names(index * 100, 100), `t${index}`)).concat(
        page(names(1_000, count)),
      )
    expect(await find(pages(0))).toMatchObject({ kind: 'found', functions: { length: 1_000 } })
    expect(await find(pages(1))).toEqual({ kind: 'too_many' })
  })

  test('end where AWS repeats a page', async () => {
    expect(await find([page(['a'], 'same'), page(['b'], 'same')])).toMatchObject({
      functions: { length: 2 },
    })
  })

  test('leave out what is no function', async () => {
    const body = '{"ResourceTagMappingList":[{"ResourceARN":"arn:aws:s3:::bucket"},null,{}]}'
    expect(await find([{ body }])).toEqual({ kind: 'found', functions: [] })
  })

  test('cannot be read without the right', async () => {
    expect(await find([lambdaError(400, 'AccessDeniedException')])).toEqual({ kind: 'no_right' })
  })

  test('cannot be read while AWS refuses', async () => {
    expect(await find([lambdaError(400, 'InvalidParameterException')])).toEqual({
      kind: 'failed',
      name: 'InvalidParameterException',
    })
  })
})
