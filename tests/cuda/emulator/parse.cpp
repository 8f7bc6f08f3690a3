// PTX text, as LLVM writes it, to kernels. What is not known is an error that shows the line.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "machine.h"

namespace emulator {

const std::map<std::string, Form>& forms() {
  static const Table* table = [] {
    auto* t = new Table;
    add_arithmetic(*t);
    add_conversions(*t);
    add_transfers(*t);
    (*t)["bra r"] = (*t)["bra.uni r"] = {Kind::kBranch, nullptr, 0};
    (*t)["ret"] = {Kind::kExit, nullptr, 0};
    (*t)["bar.sync r"] = {Kind::kBarrier, nullptr, 0};
    return t;
  }();
  return *table;
}

namespace {

using Words = std::vector<std::string>;

std::string trimmed(const std::string& s) {
  size_t first = s.find_first_not_of(" \t\r\n"), last = s.find_last_not_of(" \t\r\n");
  return first == std::string::npos ? "" : s.substr(first, last - first + 1);
}

bool starts(const std::string& s, const char* prefix) { return s.rfind(prefix, 0) == 0; }

// Cut at a separator, but not inside of brackets.
Words split(const std::string& s, char separator = ',') {
  Words parts(1);
  int depth = 0;
  for (char c : s) {
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c == separator && !depth)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  for (auto& part : parts) part = trimmed(part);
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

Words words(std::string s) {
  std::replace_if(s.begin(), s.end(), [](char c) { return c == '\t' || c == '\n'; }, ' ');
  Words parts;
  for (auto& part : split(s, ' '))
    if (!part.empty()) parts.push_back(part);
  return parts;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A number as PTX writes it: 1, -1, 0x7632U, 0f3F800000, 0dBFF0000000000000.
bool number(const std::string& text, uint64_t& value) {
  bool negative = text[0] == '-', real = starts(text, "0f") || starts(text, "0d");
  if (!is_digit(text[negative])) return false;
  char* end;
  value = strtoull(text.c_str() + (real ? 2 : negative), &end, real ? 16 : 0);
  if (negative) value = -value;
  if (*end == 'U') ++end;
  return !*end;
}

int bytes_of(const std::string& type) {  // ".b32", ".u64"
  size_t digit = type.find_first_of("0123456789");
  if (type[0] != '.' || digit == std::string::npos) return 0;
  return atoi(type.c_str() + digit) / 8;
}

long count_of(const std::string& name) {  // "table[40]"
  size_t open = name.find('[');
  return open == std::string::npos ? 1 : atol(name.c_str() + open + 1);
}

class Reader {
 public:
  Reader(const std::string& text, Module& module) : text_(text), module_(module) {
    lines_ = std::make_shared<std::vector<std::string>>(1);
    for (size_t at = 0, end; at < text.size(); at = end + 1) {
      end = std::min(text.find('\n', at), text.size());
      lines_->push_back(trimmed(text.substr(at, end - at)));
    }
  }

  // Cuts the text into statements: directives, kernels' heads, labels, instructions, braces.
  void read() {
    std::string statement;
    int line = 1;
    for (size_t at = 0; at < text_.size(); ++at) {
      char c = text_[at];
      if (c == '/' && text_[at + 1] == '/') {
        at = std::min(text_.find('\n', at), text_.size()) - 1;
        continue;
      }
      if (c == '\n') ++line;
      if (statement.empty()) {
        if (isspace(c)) continue;
        line_ = line;
        if (c == '{' || c == '}') {
          brace(c);
          continue;
        }
      }
      bool head = starts(statement, ".visible");
      if (c == '\n' && (starts(statement, ".version") || starts(statement, ".target") ||
                        starts(statement, ".address_size"))) {
        header(statement);
      } else if (c == ';') {
        kernel_ ? of_kernel(trimmed(statement)) : variable(trimmed(statement));
      } else if (c == ':' && kernel_ && text_[at + 1] != ':' && text_[at - 1] != ':') {
        labels_[trimmed(statement)] = kernel_->code.size();
      } else if (c == '{' && head) {
        begin(statement);
        brace(c);
      } else {
        statement += c;
        continue;
      }
      statement.clear();
    }
    if (kernel_ || !statement.empty()) bad("the text ends in the middle");
  }

 private:
  [[noreturn]] void bad(const std::string& what) {
    std::string line = line_ < (int)lines_->size() ? (*lines_)[line_] : "";
    throw Fault(kInvalidPtx, what + (kernel_ ? ", in " + kernel_->name : "") + ", line " +
                                 std::to_string(line_) + ": " + line);
  }

  void header(const std::string& s) {
    if (starts(s, ".target")) {
      if (!starts(s, ".target sm_")) bad("unknown target");
      module_.architecture = atoi(s.c_str() + 11);
    }
  }

  // .const .align 64 .b8 name[40] = {1, 2}; .extern .shared .align 16 .b8 name[]
  void variable(const std::string& s) {
    Words parts = split(s, '=');
    Words w = words(parts[0]);
    std::string name = w.back().substr(0, w.back().find('['));
    if (w.size() == 6 && w[0] == ".extern" && w[1] == ".shared") {
      symbols_[name] = 0;
      return;
    }
    int width = w.size() == 5 ? bytes_of(w[3]) : 0;
    if (w[0] != ".const" || w[1] != ".align" || !width || parts.size() != 2) bad("unknown directive");
    size_t size = count_of(w.back()) * width, at = 0;
    uint64_t address = memory().allocate(size, false), value;
    module_.variables[name] = {address, size};
    symbols_[name] = address;
    Allocation* a = memory().find(address);
    for (auto& each : split(parts[1].substr(1, parts[1].find('}') - 1))) {
      if (!number(each, value) || at + width > size) bad("unknown initial value " + each);
      memcpy(a->bytes + at, &value, width);
      at += width;
    }
    memset(a->bytes + at, 0, size - at);
    a->set_initialised(0, size);
  }

  // .visible .entry name(.param .u64 .ptr .global .align 16 name, ...) .maxntid 32, 1, 1
  void begin(const std::string& s) {
    size_t open = s.find('('), close = s.find(')');
    Words w = words(s.substr(0, open));
    if (open == std::string::npos || close == std::string::npos || w.size() != 3 || w[1] != ".entry")
      bad("no kernel");
    owned_ = std::make_unique<Kernel>();
    kernel_ = owned_.get();
    kernel_->name = w[2];
    kernel_->lines = lines_;
    labels_.clear(), slots_.clear(), branches_.clear(), locals_.clear(), registers_.clear();
    for (auto& each : split(s.substr(open + 1, close - open - 1))) {
      Words p = words(each);
      int size = p.size() > 2 && p[0] == ".param" ? bytes_of(p[1]) : 0;
      if (!size || p.back().find('[') != std::string::npos) bad("unknown parameter " + each);
      int offset = (kernel_->parameter_bytes + size - 1) / size * size;
      kernel_->parameter_bytes = offset + size;
      kernel_->parameters.push_back({p.back(), offset, size});
      locals_[p.back()] = offset;
    }
    Words rest = words(s.substr(close + 1));
    std::string joined;
    for (auto& each : rest) joined += each + " ";
    unsigned* m = kernel_->max_threads.data();
    if (!joined.empty() && sscanf(joined.c_str(), ".maxntid %u, %u, %u", m, m + 1, m + 2) != 3)
      bad("unknown directive");
  }

  void brace(char c) {
    depth_ += c == '{' ? 1 : -1;
    if (depth_ || c == '{') return;
    for (auto& [index, label] : branches_) {
      auto found = labels_.find(label);
      if (found == labels_.end()) bad("no label " + label);
      kernel_->code[index].target = found->second;
    }
    if (kernel_->code.empty()) bad("nothing in it");
    const Instruction& last = kernel_->code.back();
    if (last.guard >= 0 || (last.form.kind != Kind::kExit && last.form.kind != Kind::kBranch)) bad("no end");
    module_.kernels[kernel_->name] = std::move(owned_);
    kernel_ = nullptr;
  }

  void of_kernel(const std::string& s) {
    if (starts(s, ".reg")) {
      std::string name = words(s).back();  // %r<7>, %SP, or temporary
      registers_.insert(name.substr(name[0] == '%', name.find('<') - (name[0] == '%')));
    } else if (starts(s, ".local")) {  // .local .align 16 .b8 name[64]
      Words w = words(s);
      if (w.size() != 5 || w[3] != ".b8") bad("unknown directive");
      if (kernel_->local_bytes) bad("more than one array in local memory");
      locals_[w[4].substr(0, w[4].find('['))] = 0;
      kernel_->local_bytes = count_of(w[4]);
    } else if (s != ".pragma \"nounroll\"" && !starts(s, ".pragma \"used_bytes_mask")) {
      instruction(s);
    }
  }

  void instruction(std::string s) {
    Instruction i;
    i.line = line_;
    if (s[0] == '@') {
      i.unless = s[1] == '!';
      size_t end = s.find_first_of(" \t");
      i.guard = slot_of(s.substr(1 + i.unless, end - 1 - i.unless));
      s = trimmed(s.substr(end));
    }
    size_t end = std::min(s.find_first_of(" \t\n"), s.size());
    std::string form = s.substr(0, end);
    int count = 0;
    auto add = [&](const std::string& operand) {
      if (count == (int)i.slot.size()) bad("too many operands");
      i.slot[count++] = slot_of(operand);
    };
    const char* separator = " ";
    bool branch = starts(form, "bra");
    for (auto& operand : split(s.substr(end))) {
      form += separator;
      separator = ",";
      if (branch) {
        branches_.push_back({(int)kernel_->code.size(), operand});
        form += "r";
      } else if (operand[0] == '{') {
        Words elements = split(operand.substr(1, operand.size() - 2));
        for (auto& each : elements) add(each);
        form += "{" + std::to_string(elements.size()) + "}";
      } else if (operand[0] == '[') {
        address(i, operand.substr(1, operand.size() - 2), add);
        form += "[]";
      } else {
        add(operand);
        form += "r";
      }
    }
    auto found = forms().find(form);
    if (found == forms().end()) bad("unknown instruction \"" + form + "\"");
    i.form = found->second;
    i.operands = count;
    kernel_->code.push_back(i);
  }

  template <class Add>
  void address(Instruction& i, const std::string& text, Add add) {
    size_t plus = text.find('+');
    i.offset = plus == std::string::npos ? 0 : atoll(text.c_str() + plus + 1);
    std::string base = trimmed(text.substr(0, plus));
    add(base);
  }

  // The slot of a register, or of one that holds a constant.
  int slot_of(const std::string& name) {
    auto [found, fresh] = slots_.emplace(name, kernel_->slots);
    if (!fresh) return found->second;
    static const Words specials = {"%tid.x",  "%tid.y",  "%tid.z",  "%ctaid.x",  "%ctaid.y",  "%ctaid.z",
                                   "%ntid.x", "%ntid.y", "%ntid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z"};
    uint64_t value;
    if (auto special = std::find(specials.begin(), specials.end(), name); special != specials.end())
      kernel_->specials.push_back({kernel_->slots, special - specials.begin()});
    else if (number(name, value))
      kernel_->constants.push_back({kernel_->slots, value});
    else if (symbols_.count(name) || locals_.count(name))
      kernel_->constants.push_back(
          {kernel_->slots, locals_.count(name) ? locals_[name] : symbols_[name]});
    else if (name[0] == '%' && !registers_.count(name.substr(1, name.find_first_of("0123456789") - 1)))
      bad("unknown register " + name);
    else if (name[0] != '%' && name != "_" && !registers_.count(name))
      bad("unknown operand " + name);
    return kernel_->slots++;
  }

  const std::string& text_;
  Module& module_;
  std::shared_ptr<std::vector<std::string>> lines_;
  int line_ = 0, depth_ = 0;
  std::map<std::string, uint64_t> symbols_;
  std::unique_ptr<Kernel> owned_;
  Kernel* kernel_ = nullptr;
  std::map<std::string, int> slots_, labels_;
  std::set<std::string> registers_;  // as they are declared, without numbers
  std::map<std::string, uint64_t> locals_;  // parameters and local memory
  std::vector<std::pair<int, std::string>> branches_;
};

}  // namespace

Module::~Module() {
  for (auto& [name, place] : variables) memory().release(place.first);
}

std::unique_ptr<Module> parse(const std::string& text) {
  auto module = std::make_unique<Module>();
  Reader(text, *module).read();
  return module;
}

}  // namespace emulator
