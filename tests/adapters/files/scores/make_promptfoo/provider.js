// A made-up model that adds two numbers, sometimes wrongly: by a sum over the prompt.
module.exports = class Adder {
  constructor(options) {
    this.label = options.config.name;
    this.calls = 0;
  }

  id() {
    return this.label;
  }

  async callApi(prompt) {
    const [a, b] = prompt.match(/\d+/g).slice(-2).map(Number);
    this.calls += 1;
    const luck = (prompt.length * 31 + a * 7 + b * 13 + this.calls * 17) % 100;
    if (a === 5 && b === 5 && this.label === 'shaky') {
      return { error: 'the made-up service is down' };
    }
    return { output: String(a + b + (luck < (this.label === 'shaky' ? 45 : 25) ? 1 : 0)) };
  }
};
