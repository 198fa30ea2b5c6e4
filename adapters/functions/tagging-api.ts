/**
 * Finds Lambda functions by a tag, with one request for each hundred. It reads tags alone, never
 * the code, the environment or the policy of a function. Bound by
 * https://docs.aws.amazon.com/resourcegroupstagging/latest/APIReference/API_GetResources.html
 */

import { FUNCTIONS_MAX, parseFunctionArn } from '../../core/json/function-name.ts'
import type {
  FoundFunctions,
  FunctionTag,
  TaggedFunction,
  TaggedFunctions,
} from '../../core/ports/tagged-functions.ts'
import { makeHttpExchange } from '../aws/exchange.ts'
import { makeRegionalUrl } from '../aws/partition.ts'
import type { JsonService } from '../aws/signed/json-service.ts'
import { makeSignedCalls, type ParsedAnswer, type SignedCalls } from '../aws/signed/signed-calls.ts'
import type { LambdaConfig } from '../config/config.ts'

/** AWS's own limit of a page. */
const PAGE_FUNCTIONS = 100

const SERVICE: JsonService = {
  label: 'tags',
  signingName: 'tagging',
  targetPrefix: 'ResourceGroupsTaggingAPI_20170126.',
  contentType: 'application/x-amz-json-1.1',
  limits: {
    attemptsMax: 3,
    connectionTimeoutMs: 3_000,
    requestTimeoutMs: 5_000,
    pauseMs: 50,
    socketsMax: 2,
    idleSocketMs: 50_000,
    // A hundred functions with 50 tags of at most 384 characters each.
    answerBytesMax: 4_000_000,
  },
}

export function makeTaggedFunctions(
  { credentials, endpoint, kinds, region }: LambdaConfig,
  nowMs = Date.now,
): TaggedFunctions {
  const calls = makeSignedCalls(SERVICE, makeHttpExchange(SERVICE.label, SERVICE.limits), {
    endpoint: endpoint ?? makeRegionalUrl('tagging', region, kinds),
    region,
    credentials: () => credentials,
    nowMs,
  })
  return {
    find: async (tag) => {
      try {
        return await findAll(calls, tag)
      } catch (cause) {
        return describe(cause)
      }
    },
  }
}

async function findAll(calls: SignedCalls, tag: FunctionTag): Promise<FoundFunctions> {
  const functions: TaggedFunction[] = []
  let token: string | undefined
  do {
    const page: ParsedAnswer = await calls.send('GetResources', writeRequest(tag, token))
    functions.push(...readFunctions(page))
    if (functions.length > FUNCTIONS_MAX) return { kind: 'too_many' }
    token = readToken(page, token)
  } while (token !== undefined)
  return { kind: 'found', functions }
}

function writeRequest({ key, value }: FunctionTag, token: string | undefined): string {
  return JSON.stringify({
    ResourceTypeFilters: ['lambda:function'],
    TagFilters: [{ Key: key, ...(value === undefined ? {} : { Values: [value] }) }],
    ResourcesPerPage: PAGE_FUNCTIONS,
    ...(token === undefined ? {} : { PaginationToken: token }),
  })
}

/** A token that stays the same would never end. */
function readToken({ PaginationToken: token }: ParsedAnswer, last: string | undefined) {
  return typeof token === 'string' && token !== '' && token !== last ? token : undefined
}

function readFunctions({ ResourceTagMappingList: list }: ParsedAnswer): readonly TaggedFunction[] {
  const items: readonly unknown[] = Array.isArray(list) ? list : []
  return items.flatMap((item) => {
    const arn = String(Reflect.get(Object(item), 'ResourceARN'))
    const sent: unknown = Reflect.get(Object(item), 'Tags')
    const tags: readonly unknown[] = Array.isArray(sent) ? sent : []
    const pairs = tags.map((one) => [
      String(Reflect.get(Object(one), 'Key')),
      String(Reflect.get(Object(one), 'Value')),
    ])
    return parseFunctionArn(arn) === undefined ? [] : [{ arn, tags: Object.fromEntries(pairs) }]
  })
}

function describe(cause: unknown): FoundFunctions {
  const name = cause instanceof Error ? cause.name : 'UnknownError'
  return name === 'AccessDeniedException' ? { kind: 'no_right' } : { kind: 'failed', name }
}
