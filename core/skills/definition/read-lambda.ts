/**
 * Reads `config.lambda`: a Lambda function as the upstream of a skill (docs/skills.md, Lambda
 * functions). The fields of an HTTP request do not go with it, and are refused by name.
 */

import {
  FUNCTION_NAME_CHARS_MAX,
  isFunctionName,
  parseFunctionArn,
} from '../../json/function-name.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { isQualifier, makeInvokeUrl, QUALIFIER_CHARS_MAX } from '../lambda-target.ts'
import type { LambdaTarget } from '../skill.ts'
import { addFieldError, type Notes, readObject, warnUnknown } from './field-notes.ts'

const POINTER = '/config/lambda'
const FIELDS = ['function', 'payload', 'proxy', 'qualifier']

/** Fields that describe a request over HTTP. A hook changes such a request or its answer. */
const HTTP_FIELDS = [
  'endpoint',
  'method',
  'query',
  'headers',
  'body',
  'body_as',
  'arguments',
  'auth',
  'plugin_hook',
  'plugin_hooks',
  'plugin_options',
] as const

export type LambdaRead = {
  readonly lambda: LambdaTarget
  readonly endpoint: string
  /** The event's template; undefined if the arguments are the event. */
  readonly payload: Json | undefined
}

/** Returns undefined without the field. After an error, the names are empty. */
export function readLambda(notes: Notes, config: JsonObject): LambdaRead | undefined {
  const value = config['lambda'] ?? undefined
  if (value === undefined) return undefined
  const raw = readObject(notes, POINTER, value, 'required')
  warnUnknown(notes, POINTER, raw, FIELDS)
  refuseHttpFields(notes, config)
  const functionName = readFunction(notes, raw['function'])
  const qualifier = readQualifier(notes, raw['qualifier'])
  const lambda: LambdaTarget = {
    functionName,
    ...(qualifier === undefined ? {} : { qualifier }),
    ...(readProxy(notes, raw['proxy']) ? { isProxy: true as const } : {}),
  }
  return { lambda, endpoint: makeInvokeUrl(lambda), payload: readPayload(notes, raw['payload']) }
}

function refuseHttpFields(notes: Notes, config: JsonObject): void {
  for (const field of HTTP_FIELDS) {
    if ((config[field] ?? undefined) === undefined) continue
    const message =
      field === 'body'
        ? 'does not go with lambda; the event is lambda.payload'
        : 'does not go with lambda, which invokes the function without HTTP; take it away'
    addFieldError(notes, `/config/${field}`, message)
  }
  if (isJsonObject(config['task']) && (config['task']['job'] ?? undefined) !== undefined) {
    const message = 'does not go with lambda: its addresses are HTTP; give max_sec alone'
    addFieldError(notes, '/config/task/job', message)
  }
}

const WANTED = `the name of a function of 1 to ${FUNCTION_NAME_CHARS_MAX} characters of A-Z a-z 0-9 _ -, or its ARN, arn:aws:lambda:REGION:ACCOUNT:function:NAME`

function readFunction(notes: Notes, value: Json | undefined): string {
  const at = `${POINTER}/function`
  if (typeof value === 'string') {
    if (isFunctionName(value) || parseFunctionArn(value) !== undefined) return value
    const inside = /^(arn:.*:function:[^:]+):[^:]+$/.exec(value)?.[1]
    if (inside !== undefined && parseFunctionArn(inside) !== undefined) {
      const message = `ends in a version or an alias; give ${inside}, and the rest as lambda.qualifier`
      addFieldError(notes, at, message)
      return ''
    }
  }
  addFieldError(notes, at, `${value === undefined ? 'is missing; send' : 'must be'} ${WANTED}`)
  return ''
}

function readQualifier(notes: Notes, value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' && isQualifier(value)) return value
  const wanted = `$LATEST, the number of a version, or an alias of 1 to ${QUALIFIER_CHARS_MAX} characters of A-Z a-z 0-9 _ -`
  addFieldError(notes, `${POINTER}/qualifier`, `must be ${wanted}`)
  return undefined
}

function readProxy(notes: Notes, value: Json | undefined): boolean {
  if (value === undefined || value === null) return false
  if (typeof value === 'boolean') return value
  addFieldError(notes, `${POINTER}/proxy`, 'must be true or false')
  return false
}

/** A text alone could become an event that is no JSON. */
function readPayload(notes: Notes, value: Json | undefined): Json | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'object') return value
  const message =
    'must be an object or a list, whose strings are templates such as {{args.name}}; leave it out to send the arguments'
  addFieldError(notes, `${POINTER}/payload`, message)
  return undefined
}
