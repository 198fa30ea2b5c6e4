/**
 * The five spellings of a choice in an elicitation (SEP-1330), as the official suite expects them.
 */

const OPTIONS = ['option1', 'option2', 'option3']

export const enumSchema: object = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: OPTIONS },
    titledSingle: { type: 'string', oneOf: titled('Option') },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: OPTIONS } },
    titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
  },
  required: [],
}

function titled(title: string): readonly object[] {
  return ['First', 'Second', 'Third'].map((order, index) => ({
    const: `value${index + 1}`,
    title: `${order} ${title}`,
  }))
}
