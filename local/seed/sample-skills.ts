/** The three sample skills of the twin, as an administrator would push them. Plain data. */
import type { JsonObject } from '../../core/json/json.ts'

/** `origin` is the twin's own. It may change between starts, and the endpoints follow it. */
export function sampleSkills(origin: string, prefix: string): readonly JsonObject[] {
  return [weather(origin, prefix), echo(origin, prefix), slow(origin, prefix)]
}

function weather(origin: string, prefix: string): JsonObject {
  return {
    id: `${prefix}_weather`,
    source: 'official',
    skill_uid: '5b1c0f9e-2a55-4b8e-9f5e-0d6b3c1a7e01',
    meta: {
      name: 'Weather',
      description: 'Tells the (made-up, always the same) weather in a city.',
      emoji: '⛅',
      tags: ['sample', 'forecast', 'rain', 'temperature'],
      parameters: {
        type: 'object',
        properties: {
          city: { type: 'string', description: 'Name of the city, for example Oslo.' },
        },
        required: ['city'],
      },
    },
    config: { endpoint: `${origin}/sample/weather`, method: 'GET' },
    credits_per_call: 0.5,
  }
}

function echo(origin: string, prefix: string): JsonObject {
  return {
    id: `${prefix}_echo`,
    source: 'official',
    skill_uid: '5b1c0f9e-2a55-4b8e-9f5e-0d6b3c1a7e02',
    meta: {
      name: 'Echo',
      description: 'Sends back the text it is given. Costs nothing.',
      emoji: '🔁',
      tags: ['sample'],
      parameters: {
        type: 'object',
        properties: { text: { type: 'string', description: 'What to send back.' } },
        required: ['text'],
      },
    },
    config: { endpoint: `${origin}/sample/echo`, method: 'POST' },
    credits_per_call: 0,
  }
}

function slow(origin: string, prefix: string): JsonObject {
  return {
    id: `${prefix}_slow`,
    source: 'official',
    skill_uid: '5b1c0f9e-2a55-4b8e-9f5e-0d6b3c1a7e03',
    meta: {
      name: 'Slow',
      description:
        'Answers after some seconds; without `seconds` it takes 20 and is cut at 15, which refunds it.',
      emoji: '🐢',
      tags: ['sample'],
      parameters: {
        type: 'object',
        properties: {
          seconds: { type: 'number', minimum: 0, maximum: 30, description: 'How long to wait.' },
        },
        required: [],
      },
    },
    config: { endpoint: `${origin}/sample/slow`, method: 'GET' },
    credits_per_call: 1,
  }
}
