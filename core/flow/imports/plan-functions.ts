/**
 * POST imports/lambda:plan: makes skills of the Lambda functions that carry a tag. Writes nothing;
 * the skills are planned and applied as a set (plan-set.ts), which compares them with the stored
 * ones.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import { FUNCTIONS_MAX, isFunctionListed, parseFunctionArn } from '../../json/function-name.ts'
import type { JsonObject } from '../../json/json.ts'
import type { Ports } from '../../ports/ports.ts'
import type { FunctionTag, TaggedFunction } from '../../ports/tagged-functions.ts'
import type { Settings } from '../../settings.ts'
import { SHARED_SKILL_ID_CHARS_MAX } from '../../skills/limits.ts'
import { EVENT_TAG, readEventTag } from './event-tag.ts'

export const DESCRIPTION_TAG = 'skillgate:description'

export type FunctionsRequest = {
  readonly tag: FunctionTag
  readonly credits: number
  /** The alias or version that calls invoke. */
  readonly qualifier?: string | undefined
}

/** A function and a sentence about it. */
export type FunctionNote = { readonly function: string; readonly text: string }

export type FunctionsPlan = {
  /** How many functions carry the tag. */
  readonly functions: number
  /** Definitions, in the order of their ids. */
  readonly skills: readonly JsonObject[]
  /** Functions of which no skill was made. */
  readonly left: readonly FunctionNote[]
  readonly notes: readonly FunctionNote[]
}

/** Refuses with `forbidden`, `conflict` or `upstream_failed`. */
export async function planFunctions(
  { taggedFunctions }: Pick<Ports, 'taggedFunctions'>,
  settings: Pick<Settings, 'lambdaUpstreams' | 'prefix'>,
  request: FunctionsRequest,
): Promise<Result<FunctionsPlan>> {
  const found = await taggedFunctions.find(request.tag)
  switch (found.kind) {
    case 'found':
      return ok(makePlan(found.functions, settings, request))
    case 'too_many':
      return refuse(
        'conflict',
        `tag: more than ${FUNCTIONS_MAX} functions carry it; take a tag that fewer carry.`,
      )
    case 'no_right':
      return refuse('forbidden', NO_RIGHT)
    case 'no_account':
      return refuse('forbidden', NO_ACCOUNT)
    case 'failed':
      return refuse('upstream_failed', `AWS could not list functions (${found.name}). Try again.`)
    default:
      return found satisfies never
  }
}

const NO_RIGHT =
  'The role of the admin function lacks tag:GetResources, which a stage with lambdaUpstreams gives it. Name the functions there and deploy.'
const NO_ACCOUNT =
  'The gateway has no credentials of AWS. Start npm start with AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.'

function makePlan(
  functions: readonly TaggedFunction[],
  settings: Pick<Settings, 'lambdaUpstreams' | 'prefix'>,
  request: FunctionsRequest,
): FunctionsPlan {
  const inOrder = functions.toSorted((a, b) => (a.arn < b.arn ? -1 : 1))
  const made = inOrder.map((one) => makeSkill(one, settings, request))
  return {
    functions: functions.length,
    skills: made.flatMap(({ skill }) => (skill === undefined ? [] : [skill])),
    left: made.flatMap(({ left }) => left ?? []),
    notes: made.flatMap(({ notes }) => notes),
  }
}

type MadeSkill = {
  readonly skill?: JsonObject
  readonly left?: FunctionNote
  readonly notes: readonly FunctionNote[]
}

function makeSkill(
  { arn, tags }: TaggedFunction,
  { lambdaUpstreams, prefix }: Pick<Settings, 'lambdaUpstreams' | 'prefix'>,
  { credits, qualifier }: FunctionsRequest,
): MadeSkill {
  const name = parseFunctionArn(arn)?.name ?? ''
  const about = (text: string): FunctionNote => ({ function: arn, text })
  const id = name.startsWith(`${prefix}_`) ? name : `${prefix}_${name}`
  if (id.length > SHARED_SKILL_ID_CHARS_MAX) {
    const text = `Its id ${id} would have over ${SHARED_SKILL_ID_CHARS_MAX} characters; push a skill of it with an id of its own.`
    return { left: about(text), notes: [] }
  }
  const event = tags[EVENT_TAG]
  const parameters = event === undefined ? ok(FREE) : readEventTag(event)
  if (!parameters.ok) return { left: about(`Its tag ${EVENT_TAG} ${parameters.error}.`), notes: [] }
  const isGranted = lambdaUpstreams === undefined || isFunctionListed(lambdaUpstreams, arn)
  return {
    skill: {
      id,
      meta: {
        name,
        description: tags[DESCRIPTION_TAG]?.trim() || `Invokes the Lambda function ${name}.`,
        parameters: parameters.value,
      },
      config: { lambda: { function: arn, ...(qualifier === undefined ? {} : { qualifier }) } },
      credits_per_call: credits,
    },
    notes: [
      ...(event === undefined ? [about(NO_EVENT)] : []),
      ...(isGranted ? [] : [about(NOT_GRANTED)]),
    ],
  }
}

/** Any arguments, because nothing says what the event is. */
const FREE: JsonObject = { type: 'object', properties: {} }
const NO_EVENT = `It has no tag ${EVENT_TAG}, so its tool takes any arguments; write one, such as city:string days:integer:optional.`
const NOT_GRANTED =
  'It is not in lambdaUpstreams of the stage, so calls fail until it is added there and deployed.'
