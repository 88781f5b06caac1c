/** What names and labels may look like, in the API server's own sentences. Undefined: nothing is wrong. */
export type NameRule = (name: string) => string | undefined;

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const qualified = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

const whole = (pattern: string) => new RegExp(`^(?:${pattern})$`);
const subdomainForm = whole(subdomain);
const labelForm = whole(label);
const qualifiedForm = whole(qualified);
const valueForm = whole(`(${qualified})?`);

function rule(form: RegExp, most: number, sentence: string): NameRule {
  return (name) => {
    if (name.length > most) return `must be no more than ${most} bytes`;
    return form.test(name) ? undefined : sentence;
  };
}

export const subdomainName: NameRule = rule(
  subdomainForm,
  253,
  `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${subdomain}')`,
);

const labelRule: NameRule = rule(
  labelForm,
  63,
  `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${label}')`,
);

export const labelName: NameRule = (name) => {
  const fault = labelRule(name);
  return fault !== undefined && name.includes('.') && subdomainForm.test(name) ? 'must not contain dots' : fault;
};

/** Names that may be anything that can stand in a path. */
export const pathSegmentName: NameRule = (name) => {
  if (name === '.' || name === '..') return `may not be '${name}'`;
  const bad = ['/', '%'].find((character) => name.includes(character));
  return bad === undefined ? undefined : `may not contain '${bad}'`;
};

const qualifiedSentence = `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${qualified}')`;

/** The key of a label or an annotation. */
export const qualifiedName: NameRule = (key) => {
  const parts = key.split('/');
  const [prefix = '', name = prefix] = parts;
  if (parts.length > 2) {
    return `a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${qualified}') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`;
  }
  if (parts.length === 2) {
    if (prefix === '') return 'prefix part must be non-empty';
    const fault = subdomainName(prefix);
    if (fault !== undefined) return `prefix part ${fault}`;
  }
  if (name === '') return 'name part must be non-empty';
  if (name.length > 63) return 'name part must be no more than 63 bytes';
  return qualifiedForm.test(name) ? undefined : qualifiedSentence;
};

export const labelValue: NameRule = (value) => {
  if (value.length > 63) return 'must be no more than 63 bytes';
  return valueForm.test(value)
    ? undefined
    : `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${qualified})?')`;
};

/** What a config map or a secret may call an entry. */
export const configKey: NameRule = (key) => {
  if (key.length > 253) return 'must be no more than 253 bytes';
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) {
    return `a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`;
  }
  if (key === '.') return "must not be '.'";
  return key.startsWith('..') ? "must not start with '..'" : undefined;
};
