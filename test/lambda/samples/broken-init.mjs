// A bundle that cannot be loaded.

throw new Error('no such setting: TABLE_NAME')
